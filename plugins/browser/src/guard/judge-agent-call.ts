import type { AgentCall } from "./agent-call.ts";
import type { AgentConnection } from "./agent-connection.ts";
import type { AgentSession } from "./agent-session.ts";
import { judgeCall } from "./judge-call.ts";
import type { CallVerdict } from "./judge-call.ts";
import { judgeFile } from "./judge-file.ts";
import { LEAVING_METHODS } from "./methods.ts";

/** Calls that do what a person does with a page. */
const HAND_METHOD =
  /^(Input\.|DOM\.focus$|Page\.(navigate|navigateToHistoryEntry|reload|handleJavaScriptDialog|bringToFront)$|Emulation\.setDeviceMetricsOverride$)/;

/** Calls of one session, and calls of one connection to the browser, that Chromium may leave unanswered. */
export const MAX_PENDING_CALLS = 500;

/**
 * Judges a call by the rules of this moment and by what its session shows.
 *
 * @param session The session that the call names, if it is one of the agent's connection.
 */
export function judgeAgentCall(
  connection: AgentConnection,
  { method, params, sessionId }: AgentCall,
  session: AgentSession | undefined,
): CallVerdict {
  if (sessionId !== undefined && !session)
    return { refusal: "this session is not the agent's" };
  if ((session ?? connection).pendingCalls >= MAX_PENDING_CALLS)
    return {
      refusal: `${MAX_PENDING_CALLS} calls are not answered yet, which is the limit`,
    };
  const { core, agentId } = connection;
  const { tier, folder } = core.options.rulesOf(agentId);
  const verdict = judgeCall(
    { method, params, level: session ? "page" : "browser" },
    {
      tier,
      judgeUrl: (url) => core.judgeUrl(agentId, url),
      judgeFile: (path) => judgeFile(path, folder),
      isKnownNode: (id) => session?.isKnownNode(id) ?? false,
      urlOfRequest: (id) => session?.urlOfRequest(id),
    },
  );
  if (verdict.refusal !== null || !session) return verdict;
  const tabId = core.registry.tabOf(session.targetId);
  if (HAND_METHOD.test(method)) {
    if (core.options.hands?.isUserDriving(tabId))
      return { refusal: "the user is using this tab; try again in a moment" };
    core.options.hands?.noteAgent(tabId, agentId);
  }
  if (LEAVING_METHODS.has(method)) return verdict;
  const refusal = core.judgeDocument(agentId, session.targetId);
  return refusal === null
    ? verdict
    : { refusal: `of the page that is shown, ${refusal}` };
}
