import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import type { AgentSession } from "./agent-session.ts";
import type { GuardCore } from "./guard-core.ts";

/** Events that are forwarded even when the agent may not open what the page shows. */
const OUTER_EVENT = /^(Target|Page|Inspector)\./;

/** Whether an event of a session may be forwarded: the content of a page that the agent may not open is withheld. */
export function mayReceive(
  core: GuardCore,
  agentId: string,
  { method }: ProtocolEvent,
  { targetId }: AgentSession,
): boolean {
  return (
    OUTER_EVENT.test(method) || core.judgeDocument(agentId, targetId) === null
  );
}
