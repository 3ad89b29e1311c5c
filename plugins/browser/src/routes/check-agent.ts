import { AgentMessages } from "@gantry/plugin-agents/contract";
import { errors } from "../errors.ts";

/**
 * Checks that there is an agent with this id.
 *
 * @throws `BROWSER_AGENT_NOT_FOUND` (404), `BROWSER_AGENTS_MISSING` (503)
 */
export async function checkAgent(
  messages: AgentMessages | undefined,
  agentId: string,
  signal: AbortSignal,
): Promise<void> {
  if (!messages)
    throw errors.BROWSER_AGENTS_MISSING({ service: AgentMessages.id });
  if (!(await messages.describe({ agentId }, signal)))
    throw errors.BROWSER_AGENT_NOT_FOUND({ id: agentId });
}
