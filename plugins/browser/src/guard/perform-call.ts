import { isGantryError } from "@gantry/plugin";
import type { AgentConnection } from "./agent-connection.ts";
import type { AgentCall } from "./agent-call.ts";
import type { AgentSession } from "./agent-session.ts";
import { answerCall } from "./answer-call.ts";
import { judgeAgentCall } from "./judge-agent-call.ts";
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
  if (call.method === "DOM.setFileInputFiles" && session)
    return giveFiles(connection, call, session);
  connection.post(call, session);
}

/** Gives a page files, or copies of them to a browser that cannot read the agent's folder. */
function giveFiles(
  connection: AgentConnection,
  call: AgentCall,
  session: AgentSession,
): void {
  const { copyFiles } = connection.core.options;
  if (!copyFiles) return connection.post(call, session);
  session.pendingCalls += 1;
  void copyFiles(call.params["files"] as string[])
    .finally(() => (session.pendingCalls -= 1))
    .then(
      (files) => {
        // What it may do can have changed meanwhile.
        const { refusal } = judgeAgentCall(connection, call, session);
        if (refusal !== null) return connection.refuse(call, refusal);
        const params = { ...call.params, files };
        connection.post({ ...call, params }, session);
      },
      (error: unknown) =>
        connection.refuse(
          call,
          isGantryError(error)
            ? error.message
            : "the files could not be copied for the browser",
        ),
    );
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
