import { isThisMachine } from "../fence/site-list.ts";
import { TIERS } from "./schemas.ts";
import type { Policy } from "./schemas.ts";

/** What a policy allows. */
export type Grant = Pick<Policy, "tier" | "sites"> & {
  /** Missing in what was noted before there was this choice. */
  ownServers?: boolean;
};

/** What two policies allow both: the sites of the first one as they are, if the other allows all of them. */
export function narrowPolicy(one: Grant, other: Grant): Required<Grant> {
  const tier = TIERS.find((each) => each === one.tier || each === other.tier)!;
  const shared = one.sites.filter((site) => covers(other.sites, site));
  const ownServers = one.ownServers === true && other.ownServers === true;
  if (shared.length === one.sites.length)
    return { tier, sites: one.sites, ownServers };
  const more = other.sites.filter((site) => covers(one.sites, site));
  return { tier, sites: [...new Set([...shared, ...more])], ownServers };
}

/** Whether a list has a site, or an entry that stands for it and others. */
function covers(sites: readonly string[], site: string): boolean {
  const [, name = ""] = /^(.*?)(?::\d+)?$/.exec(site) ?? [];
  return sites.some((entry) => {
    if (entry === site || entry === name) return true;
    // It stands for public sites alone; a name may still lead to a private one, which is judged when it is called.
    if (entry === "*") return !isThisMachine(name) && /[a-z]/.test(name);
    return entry.startsWith("*.") && name.endsWith(entry.slice(1));
  });
}
