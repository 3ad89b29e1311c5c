import { hasTier } from "../guard/judge-call.ts";
import type { Policies } from "../records/policies.ts";
import type { Tier } from "../records/schemas.ts";
import type { AgentRules } from "./agent-rules.ts";

/** What a user allowed an agent beyond its policy, for a while. */
export interface Grant {
  agentId: string;
  site?: string;
  tier?: Tier;
}

/** What agents may do at this moment: their policies, and what the user allowed for a while. */
export class AgentAccess {
  readonly #policies: Pick<Policies, "get">;
  readonly #onRevoked: (agentId: string) => void;
  readonly #folders = new Map<string, string>();
  readonly #grants = new Set<Grant>();

  /** @param onRevoked Called when a grant has ended, so that what is open is judged again. */
  constructor(
    policies: Pick<Policies, "get">,
    onRevoked: (agentId: string) => void,
  ) {
    this.#policies = policies;
    this.#onRevoked = onRevoked;
  }

  readonly rulesOf: AgentRules = (agentId) => {
    const policy = this.#policies.get(agentId);
    const sites = [...(policy?.sites ?? [])];
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

  /** Grants something until the returned function is called. */
  grant(grant: Grant): () => void {
    const own = { ...grant };
    this.#grants.add(own);
    return () => {
      if (this.#grants.delete(own)) this.#onRevoked(own.agentId);
    };
  }

  /** Sets the working folder of an agent, from which it may upload files. */
  setFolder(agentId: string, folder: string): void {
    this.#folders.set(agentId, folder);
  }

  forget(agentId: string): void {
    this.#folders.delete(agentId);
    for (const grant of this.#grants)
      if (grant.agentId === agentId) this.#grants.delete(grant);
  }
}
