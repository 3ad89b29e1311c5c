import type { AgentConnection } from "./agent-connection.ts";
import type { AgentSession } from "./agent-session.ts";
import { MAX_PENDING_CALLS } from "./judge-agent-call.ts";

/**
 * Calls `done` when the rules of the agent are those of this moment: at once, unless the address may be one of the
 * agent's own servers. A call that waits counts as unanswered.
 */
export function refreshRules(
  connection: AgentConnection,
  url: string,
  session: AgentSession | undefined,
  done: () => void,
): void {
  const { core, agentId } = connection;
  const counted = session ?? connection;
  // Refused in any case, so there is nothing to wait for.
  if (counted.pendingCalls >= MAX_PENDING_CALLS) return done();
  const refreshed = core.options.refresh?.(agentId, { url });
  if (!refreshed) return done();
  counted.pendingCalls += 1;
  void refreshed.then(() => {
    counted.pendingCalls -= 1;
    done();
  });
}
