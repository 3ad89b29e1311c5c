import type { PluginContext } from "@gantry/plugin";
import { toProfileId } from "../chromium/browser-pool.ts";
import type { ProfileOwner } from "../chromium/browser-pool.ts";
import type { AgentRules, RefreshRules } from "../fence/agent-rules.ts";
import { readGantryAddress } from "../fence/gantry-address.ts";
import { judgeUrl } from "../fence/judge-site.ts";
import type { Refusal } from "../fence/rules.ts";
import { UserSites } from "../fence/user-sites.ts";
import { openEgress } from "./open-egress.ts";
import type { Egress, FailedConnection } from "./open-egress.ts";

/** Network access of all running browsers. */
export interface Networks {
  /** Judges a URL that the user opens in a browser. In the user's own one this allows its host and port. */
  judgeOpened(owner: ProfileOwner, url: string): Promise<Refusal>;
  /** Opens the network access of a browser that is about to start. */
  open(owner: ProfileOwner): Promise<Egress>;
  /** Closes the connections of an agent's browser that its policy does not allow any more. */
  review(agentId: string): void;
}

/** Dependencies of {@link openNetworks}. */
export interface NetworksOptions {
  ctx: Pick<PluginContext, "connect" | "origin" | "localOrigin">;
  rulesOf: AgentRules;
  refresh: RefreshRules;
  onFailed(profileId: string, failed: FailedConnection): void;
}

/** Opens the network access of browsers, each by the sites of its owner. */
export function openNetworks({
  ctx,
  rulesOf,
  refresh,
  onFailed,
}: NetworksOptions): Networks {
  const userSites = new UserSites();
  const byProfile = new Map<string, Egress>();
  const gantry = () => readGantryAddress(ctx);
  const sitesOf = (owner: ProfileOwner) =>
    owner.kind === "user" ? userSites.list : rulesOf(owner.agentId).sites;

  return {
    async judgeOpened(owner, url) {
      if (owner.kind === "user") userSites.add(url);
      else await refresh(owner.agentId, { url });
      return judgeUrl(url, sitesOf(owner), gantry());
    },
    async open(owner) {
      const profileId = toProfileId(owner);
      const egress = await openEgress({
        connect: ctx.connect,
        owner: owner.kind,
        sites: () => sitesOf(owner),
        refresh: (host) =>
          owner.kind === "agent" ? refresh(owner.agentId, { host }) : undefined,
        gantry,
        onFailed: (failed) => onFailed(profileId, failed),
      });
      byProfile.set(profileId, egress);
      return {
        ...egress,
        async close() {
          if (byProfile.get(profileId) === egress) byProfile.delete(profileId);
          await egress.close();
        },
      };
    },
    review: (agentId) => byProfile.get(agentId)?.review(),
  };
}
