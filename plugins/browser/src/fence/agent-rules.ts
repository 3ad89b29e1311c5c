import type { Policies } from "../records/policies.ts";
import type { Rules } from "./rules.ts";

/** Rules of an agent at this moment, by its policy. An agent without one may do nothing. */
export type AgentRules = (agentId: string) => Rules;

/** Creates the rules of agents. */
export function createAgentRules(policies: Pick<Policies, "get">): AgentRules {
  return (agentId) => {
    const policy = policies.get(agentId);
    return {
      tier: policy?.tier ?? "none",
      sites: policy?.sites ?? [],
      folder: null,
    };
  };
}
