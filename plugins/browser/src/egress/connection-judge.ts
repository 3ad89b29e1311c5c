import type { ConnectAddress } from "@gantry/plugin";
import { judgeAddresses, judgeHost } from "../fence/judge-site.ts";
import type { GantryAddress, Refusal } from "../fence/rules.ts";
import { normalizeHost } from "../fence/site-list.ts";
import { isBackgroundName } from "./background-names.ts";

/** Names that are remembered to have led to public addresses; the oldest is forgotten first. */
const MAX_PUBLIC_NAMES = 5_000;

/** What the judge of a browser's connections depends on. */
export interface ConnectionRules {
  owner: "agent" | "user";
  /** Sites that may be reached, read for each connection, so that a change applies at once. */
  sites(): readonly string[];
  gantry(): GantryAddress;
}

/** Judges the connections of one browser. */
export class ConnectionJudge {
  readonly #rules: ConnectionRules;
  readonly #publicNames = new Set<string>();

  constructor(rules: ConnectionRules) {
    this.#rules = rules;
  }

  /** Judges a host and port by their text. */
  judgeHost(rawHost: string, port: number): Refusal {
    const { owner, sites, gantry } = this.#rules;
    const host = normalizeHost(rawHost);
    return isBackgroundName(host, owner)
      ? `${host} is asked by the browser itself and not by a page`
      : judgeHost(host, port, sites(), gantry());
  }

  /** Judges the addresses that a host leads to at this moment. */
  judgeAddresses(
    rawHost: string,
    port: number,
    addresses: readonly ConnectAddress[],
  ): Refusal {
    const { sites, gantry } = this.#rules;
    const refusal = judgeAddresses(rawHost, port, addresses, sites(), gantry());
    if (refusal !== null) return refusal;
    const host = normalizeHost(rawHost);
    if (addresses.every(({ kind }) => kind === "public"))
      this.#rememberPublic(host);
    // Otherwise a page could be loaded from its server, and then reach a device at home under the same name (DNS rebinding).
    else if (this.#publicNames.has(host))
      return `${host} led to a public address before, and now leads to this machine or a private network`;
    return null;
  }

  #rememberPublic(host: string): void {
    this.#publicNames.delete(host);
    this.#publicNames.add(host);
    for (const oldest of this.#publicNames) {
      if (this.#publicNames.size <= MAX_PUBLIC_NAMES) break;
      this.#publicNames.delete(oldest);
    }
  }
}
