import type { Rules } from "./rules.ts";

/** Rules of an agent at this moment. An agent without a policy may do nothing. */
export type AgentRules = (agentId: string) => Rules;
