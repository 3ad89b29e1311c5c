import type { Rules, Tier } from "../fence/policy.ts";
import type { Policies } from "../records/policies.ts";
import { hasTier } from "../fence/judge-call.ts";

const NO_PORTS: ReadonlySet<number> = new Set();

/** A permission that the user gave for one call. */
interface Grant {
  agentId: string;
  site?: string;
  tier?: Tier;
}

/** What agents may do right now: their policies plus one-time permissions. */
export class AgentRules {
  readonly #policies: Pick<Policies, "get">;
  readonly #ownPorts: (agentId: string) => ReadonlySet<number>;
  readonly #folders = new Map<string, string>();
  readonly #grants = new Set<Grant>();

  /** @param ownPorts Ports that an agent's own processes listen on. */
  constructor(
    policies: Pick<Policies, "get">,
    ownPorts: (agentId: string) => ReadonlySet<number>,
  ) {
    this.#policies = policies;
    this.#ownPorts = ownPorts;
  }

  rulesOf(agentId: string): Rules {
    const policy = this.#policies.get(agentId);
    let tier = policy.tier;
    const sites = [...policy.sites];
    for (const grant of this.#grants) {
      if (grant.agentId !== agentId) continue;
      if (grant.site !== undefined) sites.push(grant.site);
      if (grant.tier !== undefined && !hasTier(tier, grant.tier))
        tier = grant.tier;
    }
    return {
      tier,
      sites,
      localPorts: policy.ownServers ? this.#ownPorts(agentId) : NO_PORTS,
      folder: this.#folders.get(agentId) ?? null,
    };
  }

  /** Sets the working folder of an agent, by its real path. */
  setFolder(agentId: string, folder: string): void {
    this.#folders.set(agentId, folder);
  }

  forget(agentId: string): void {
    this.#folders.delete(agentId);
  }

  /** Grants a permission until the returned function is called. */
  grant(grant: Grant): () => void {
    const own = { ...grant };
    this.#grants.add(own);
    return () => void this.#grants.delete(own);
  }
}
