import type { Rules } from "./rules.ts";

/** Rules of an agent at this moment. An agent without a policy may do nothing. */
export type AgentRules = (agentId: string) => Rules;

/**
 * Makes the rules of an agent those of this moment, before a host or a URL is judged. Never rejects.
 *
 * @returns `undefined` if they already are, so that the judgement need not wait
 */
export type RefreshRules = (
  agentId: string,
  target: { host: string; url?: never } | { url: string; host?: never },
) => Promise<void> | undefined;
