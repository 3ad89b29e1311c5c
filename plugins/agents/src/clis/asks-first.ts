import type { AgentCapabilities } from "../driver.ts";
import { errors } from "../errors.ts";

/**
 * Checks whether a CLI can be kept to reading: only if it asks before everything else.
 *
 * @throws AGENT_NEVER_ASKS
 */
export function checkAsksFirst(
  cli: string,
  { asksFirst }: AgentCapabilities,
): void {
  const reason = "does not ask before it changes something";
  if (!asksFirst) throw errors.AGENT_NEVER_ASKS({ cli, reason });
}

/**
 * Checks whether an open agent can be restarted so that it asks first, and can then continue its conversation.
 *
 * @throws AGENT_NEVER_ASKS
 */
export function checkCanRestart(
  cli: string,
  capabilities: AgentCapabilities,
): void {
  checkAsksFirst(cli, capabilities);
  const reason =
    "was not started to ask first, and would lose its conversation if it were restarted";
  if (!capabilities.resume) throw errors.AGENT_NEVER_ASKS({ cli, reason });
}
