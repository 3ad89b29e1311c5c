import { hasTier } from "../guard/judge-call.ts";
import type { Policies } from "../records/policies.ts";
import type { Tier } from "../records/schemas.ts";
import type { AgentRules, RefreshRules } from "./agent-rules.ts";
import { hostOf } from "./judge-site.ts";
import type { OwnServers } from "./own-servers.ts";

/** What a user allowed an agent beyond its policy, for a while. */
export interface Grant {
  agentId: string;
  site?: string;
  tier?: Tier;
}

/** Dependencies of {@link AgentAccess}. */
export interface AgentAccessOptions {
  policies: Pick<Policies, "get">;
  servers: Pick<OwnServers, "sitesOf" | "refresh" | "forget">;
  /** Called when a grant has ended, so that what is open is judged again. */
  onRevoked(agentId: string): void;
}

/** What agents may do at this moment: their policies with their own servers, and what the user allowed for a while. */
export class AgentAccess {
  readonly #options: AgentAccessOptions;
  readonly #folders = new Map<string, string>();
  readonly #grants = new Set<Grant>();

  constructor(options: AgentAccessOptions) {
    this.#options = options;
  }

  readonly rulesOf: AgentRules = (agentId) => {
    const { policies, servers } = this.#options;
    const policy = policies.get(agentId);
    const sites = [...(policy?.sites ?? []), ...servers.sitesOf(agentId)];
    let tier = policy?.tier ?? "none";
    // A grant adds to a policy; where there is none (any more), it adds to nothing.
    if (tier !== "none")
      for (const grant of this.#grants) {
        if (grant.agentId !== agentId) continue;
        if (grant.site !== undefined) sites.push(grant.site);
        if (grant.tier !== undefined && !hasTier(tier, grant.tier))
          tier = grant.tier;
      }
    return { tier, sites, folder: this.#folders.get(agentId) ?? null };
  };

  /** Makes {@link rulesOf} know the servers that an agent runs at this moment. */
  readonly refresh: RefreshRules = (agentId, { host, url = "" }) =>
    this.#options.servers.refresh(agentId, host ?? hostOf(url));

  /** Grants something until the returned function is called. */
  grant(grant: Grant): () => void {
    const own = { ...grant };
    this.#grants.add(own);
    return () => {
      if (this.#grants.delete(own)) this.#options.onRevoked(own.agentId);
    };
  }

  /** Sets the working folder of an agent, from which it may upload files. */
  setFolder(agentId: string, folder: string): void {
    this.#folders.set(agentId, folder);
  }

  forget(agentId: string): void {
    this.#folders.delete(agentId);
    this.#options.servers.forget(agentId);
    for (const grant of this.#grants)
      if (grant.agentId === agentId) this.#grants.delete(grant);
  }
}
