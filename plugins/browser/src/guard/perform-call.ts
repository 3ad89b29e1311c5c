import type { AgentConnection } from "./agent-connection.ts";
import type { AgentCall } from "./agent-call.ts";
import type { AgentSession } from "./agent-session.ts";
import { answerCall } from "./answer-call.ts";
import type { Handling } from "./methods.ts";
import { performOnOwnTab } from "./own-tab.ts";
import { refreshRules } from "./refresh-rules.ts";

/** Carries out a call that is allowed. */
export function performCall(
  connection: AgentConnection,
  call: AgentCall,
  handling: Handling,
  session: AgentSession | undefined,
): void {
  if (handling === "answer") return answerCall(connection, call, session);
  if (handling === "own-tab") return performOnOwnTab(connection, call);
  if (call.method === "Page.navigateToHistoryEntry" && session)
    return navigateToHistoryEntry(connection, call, session);
  connection.post(call, session);
}

/** Only Chromium knows the address of an entry, which is judged when it has said it. */
function navigateToHistoryEntry(
  connection: AgentConnection,
  call: AgentCall,
  session: AgentSession,
): void {
  const { core, agentId } = connection;
  connection.request("Page.getNavigationHistory", {}, session, ({ result }) => {
    const entries = (result?.["entries"] ?? []) as {
      id: number;
      url: string;
    }[];
    const entry = entries.find(({ id }) => id === call.params["entryId"]);
    if (!entry) return connection.refuse(call, "there is no such entry");
    refreshRules(connection, entry.url, session, () => {
      const refusal = core.judgeUrl(agentId, entry.url);
      if (refusal === null) connection.post(call, session);
      else connection.refuse(call, refusal);
    });
  });
}
