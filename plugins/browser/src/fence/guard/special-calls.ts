import { realpathSync } from "node:fs";
import { basename } from "node:path";
import type { AgentSession } from "./agent-session.ts";
import type { CallHost } from "./call-host.ts";
import type { AgentCall } from "./call-judge.ts";

/** Sends calls that need a check or preparation first. Returns whether this call was one of them. */
export function sendSpecial(
  connection: CallHost,
  call: AgentCall,
  session: AgentSession,
): boolean {
  switch (call.method) {
    case "Page.navigateToHistoryEntry":
      navigateHistory(connection, call, session);
      return true;
    case "DOM.setFileInputFiles":
      void copyFilesToBrowser(connection, call, session);
      return true;
    default:
      return false;
  }
}

interface HistoryEntry {
  id: number;
  url: string;
}

function navigateHistory(
  connection: CallHost,
  call: AgentCall,
  session: AgentSession,
): void {
  const { core, agentId } = connection;
  core.post(
    "Page.getNavigationHistory",
    {},
    session.sessionId,
    ({ result }) => {
      const entries = (result?.["entries"] ?? []) as HistoryEntry[];
      const entry = entries.find(({ id }) => id === call.params["entryId"]);
      const reason = entry
        ? core.judgeUrl(agentId, entry.url)
        : "there is no such entry";
      if (reason === null) return connection.post(call, session);
      const site = entry && { cause: "site" as const, url: entry.url };
      connection.refuse(call, { reason, cause: "never", ...site });
    },
  );
}

/**
 * The browser may run under another account, so it reads copies. This also keeps a file from being replaced after it
 * was judged.
 */
async function copyFilesToBrowser(
  connection: CallHost,
  call: AgentCall,
  session: AgentSession,
): Promise<void> {
  const files: string[] = [];
  try {
    for (const file of call.params["files"] as string[])
      files.push(
        await connection.core.options.browser.copyToBrowser(
          realpathSync(file),
          basename(file),
        ),
      );
  } catch {
    return connection.refuse(call, {
      reason: "this file could not be read",
      cause: "never",
    });
  }
  connection.post({ ...call, params: { ...call.params, files } }, session);
}
