import type { AgentConnection } from "./agent-connection.ts";
import type { AgentCall } from "./agent-call.ts";
import type { AgentSession } from "./agent-session.ts";

/** The browser itself as a target, for calls that name none. */
const BROWSER_TARGET = {
  ...{ targetId: "browser", type: "browser", title: "", url: "" },
  ...{ attached: true, canAccessOpener: false },
};

/** Answers a call from the guard's own state, so that the answer covers only the agent's own tabs. */
export function answerCall(
  connection: AgentConnection,
  call: AgentCall,
  session: AgentSession | undefined,
): void {
  const { core, agentId } = connection;
  const { method, params } = call;
  const done = (result: Record<string, unknown> = {}) => {
    connection.allow(call);
    connection.answer(call, { result });
  };
  const ownTabs = () => core.registry.ownTabs(agentId);
  switch (method) {
    case "Target.setAutoAttach":
      if (session) return attachChildren(connection, call, session);
      connection.isAttaching = params["autoAttach"] === true;
      return attachTabs(connection, () => done());
    case "Target.setDiscoverTargets":
      connection.isDiscovering = params["discover"] === true;
      for (const info of ownTabs())
        connection.takeOfTarget({
          ...{ method: "Target.targetCreated", params: { targetInfo: info } },
        });
      return done();
    case "Target.getTargets":
      return done({ targetInfos: ownTabs() });
    case "Target.getBrowserContexts":
      return done({ browserContextIds: [] });
    case "Target.getTargetInfo": {
      const { targetId } = params;
      if (targetId === undefined) return done({ targetInfo: BROWSER_TARGET });
      const targetInfo = ownTabs().find((each) => each.targetId === targetId);
      return targetInfo
        ? done({ targetInfo })
        : connection.refuse(call, "this tab is not the agent's");
    }
    case "Target.detachFromTarget":
      return detach(connection, call);
    default:
      // Drivers call these as they start; they have no effect here.
      return done();
  }
}

function attachTabs(connection: AgentConnection, done: () => void): void {
  const tabs = connection.core.registry.ownTabs(connection.agentId);
  let waiting = tabs.length;
  if (waiting === 0) return done();
  for (const { targetId } of tabs)
    connection.autoAttach(targetId, () => {
      waiting -= 1;
      if (waiting === 0) done();
    });
}

/**
 * Attaches to frames and workers of a tab, always in flat sessions: messages of nested sessions would bypass the guard.
 */
function attachChildren(
  connection: AgentConnection,
  call: AgentCall,
  session: AgentSession,
): void {
  const { autoAttach, waitForDebuggerOnStart } = call.params;
  const params = {
    autoAttach: autoAttach === true,
    waitForDebuggerOnStart: waitForDebuggerOnStart === true,
    flatten: true,
  };
  connection.post({ ...call, params }, session);
}

function detach(connection: AgentConnection, call: AgentCall): void {
  const { sessionId } = call.params;
  const session =
    typeof sessionId === "string"
      ? connection.sessions.get(sessionId)
      : undefined;
  if (!session)
    return connection.refuse(call, "this session is not the agent's");
  const params = { sessionId };
  if (!session.parent) return connection.post({ ...call, params });
  connection.allow(call);
  connection.request(call.method, params, session.parent, (answer) =>
    connection.answer(call, answer),
  );
}
