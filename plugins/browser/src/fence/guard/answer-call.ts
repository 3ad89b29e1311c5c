import type { AgentSession } from "./agent-session.ts";
import type { CallHost } from "./call-host.ts";
import type { AgentCall } from "./call-judge.ts";

/** The browser itself as a target, for calls that name none. */
const BROWSER_TARGET = {
  targetId: "browser",
  type: "browser",
  title: "",
  url: "",
  attached: true,
  canAccessOpener: false,
};

/** Answers a call from the guard's own state, so that the answer covers only the agent's own tabs. */
export function answerCall(
  connection: CallHost,
  call: AgentCall,
  session: AgentSession | undefined,
): void {
  const { core, agentId } = connection;
  const { method, params } = call;
  const done = (result: Record<string, unknown> = {}) =>
    connection.answer(call, { result });
  const ownTabs = () =>
    core.registry
      .ownTabs(agentId)
      .map((info) => core.registry.toVisible(info, agentId));
  switch (method) {
    case "Target.setAutoAttach":
      return session
        ? attachChildren(connection, call, session)
        : void attachTabs(connection, params["autoAttach"] === true).then(() =>
            done(),
          );
    case "Target.setDiscoverTargets":
      connection.isDiscovering = params["discover"] === true;
      if (connection.isDiscovering)
        for (const targetInfo of ownTabs())
          connection.send({
            method: "Target.targetCreated",
            params: { targetInfo },
          });
      return done();
    case "Target.getTargets":
      return done({ targetInfos: ownTabs() });
    case "Target.getBrowserContexts":
      return done({ browserContextIds: [] });
    case "Target.getTargetInfo": {
      const { targetId } = params;
      const isOwn = core.registry.isOwn(targetId, agentId);
      const info = isOwn ? core.registry.get(targetId) : undefined;
      const targetInfo = info
        ? core.registry.toVisible(info, agentId)
        : BROWSER_TARGET;
      return done({ targetInfo });
    }
    case "Target.detachFromTarget": {
      const sessionId = params["sessionId"];
      if (typeof sessionId === "string" && connection.sessions.has(sessionId))
        core.post("Target.detachFromTarget", { sessionId });
      return done();
    }
    default:
      // Drivers call these as they start; they have no effect here.
      return done();
  }
}

async function attachTabs(
  connection: CallHost,
  isAttaching: boolean,
): Promise<void> {
  connection.isAttaching = isAttaching;
  if (!isAttaching) return;
  const { core, agentId } = connection;
  await Promise.allSettled(
    core.registry
      .ownTabs(agentId)
      .map(({ targetId }) => connection.attach(targetId, false)),
  );
}

/**
 * Attaches to frames and workers of a tab, always in flat sessions: messages of nested sessions would bypass the guard.
 */
function attachChildren(
  connection: CallHost,
  call: AgentCall,
  session: AgentSession,
): void {
  const { autoAttach, waitForDebuggerOnStart } = call.params;
  connection.core.post(
    "Target.setAutoAttach",
    {
      autoAttach: autoAttach === true,
      waitForDebuggerOnStart: waitForDebuggerOnStart === true,
      flatten: true,
    },
    session.sessionId,
    (answer) => connection.answer(call, answer),
  );
}
