import type { CallHost } from "./call-host.ts";
import type { AgentCall } from "./call-judge.ts";
import { MAX_TABS } from "./guard-core.ts";

/** Handles a call to the browser that concerns one tab, which must be the agent's own. */
export function performOnOwnTab(connection: CallHost, call: AgentCall): void {
  const { core, agentId } = connection;
  if (call.method === "Target.createTarget") return openTab(connection, call);
  const { targetId } = call.params;
  if (!core.registry.isOwn(targetId, agentId))
    return connection.refuse(call, {
      reason: "this tab is not the agent's",
      cause: "never",
    });
  if (call.method === "Target.attachToTarget") {
    connection.allow(call);
    connection.attach(targetId, true).then(
      (sessionId) => connection.answer(call, { result: { sessionId } }),
      (error: Error) => fail(connection, call, error.message),
    );
    return;
  }
  const isClosing = call.method === "Target.closeTarget";
  if (isClosing && core.registry.ownerOf(targetId)?.isLent)
    return connection.refuse(call, {
      reason: "only the user closes a tab that was lent",
      cause: "never",
    });
  connection.allow(call);
  core.post(call.method, { targetId }, undefined, (answer) =>
    connection.answer(call, answer),
  );
}

/** Opens a tab in a new window, and navigates it once it is prepared. */
function openTab(connection: CallHost, call: AgentCall): void {
  const { core, agentId } = connection;
  if (core.registry.ownTabs(agentId).length >= MAX_TABS)
    return connection.refuse(call, {
      reason: `${MAX_TABS} tabs are open, which is the limit; close one first`,
      cause: "never",
    });
  connection.allow(call);
  const params = { url: "about:blank", newWindow: true };
  core.post("Target.createTarget", params, undefined, (answer) => {
    const targetId = answer.result?.["targetId"];
    if (typeof targetId !== "string") return connection.answer(call, answer);
    // Assigned at once, so that its connections receive all its events.
    core.registry.setOwner(targetId, { agentId, isLent: false });
    void finishTab(connection, call, targetId);
  });
}

async function finishTab(
  connection: CallHost,
  call: AgentCall,
  targetId: string,
): Promise<void> {
  const { core } = connection;
  await core.preparation.whenReady(targetId);
  core.give(targetId, { agentId: connection.agentId, isLent: false });
  // Some drivers look for the tab as soon as they have the answer.
  if (connection.isAttaching)
    await connection.attach(targetId, false).catch(() => undefined);
  const { url } = call.params;
  const session = core.preparation.sessionOf(targetId);
  if (typeof url === "string" && url !== "" && url !== "about:blank" && session)
    core.post("Page.navigate", { url }, session);
  connection.answer(call, { result: { targetId } });
}

function fail(connection: CallHost, call: AgentCall, message: string): void {
  connection.answer(call, { error: { code: -32_000, message } });
}
