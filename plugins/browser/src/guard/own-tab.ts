import { MAX_TABS } from "../tabs/browser-tabs.ts";
import type { AgentConnection } from "./agent-connection.ts";
import type { AgentCall } from "./agent-call.ts";

/** Handles a call to the browser that concerns one tab, which must be the agent's own. */
export function performOnOwnTab(
  connection: AgentConnection,
  call: AgentCall,
): void {
  const { core, agentId } = connection;
  if (call.method === "Target.createTarget") return openTab(connection, call);
  const { targetId } = call.params;
  if (!core.registry.isOwn(targetId, agentId))
    return connection.refuse(call, "this tab is not the agent's");
  if (call.method !== "Target.attachToTarget")
    return connection.post({ ...call, params: { targetId } });
  connection.allow(call);
  connection.attach(targetId, (sessionId, problem) =>
    connection.answer(
      call,
      sessionId === undefined
        ? { error: { code: -32_000, message: problem } }
        : { result: { sessionId } },
    ),
  );
}

/** Opens a tab in a window of its own, which then loads the address. All other parameters are ignored. */
function openTab(connection: AgentConnection, call: AgentCall): void {
  const { core, agentId } = connection;
  const pages = core.registry.targets().filter(({ type }) => type === "page");
  if (pages.length + core.openingTabs >= MAX_TABS)
    return connection.refuse(
      call,
      `${MAX_TABS} tabs are open in this browser, which is the limit; close one first`,
    );
  connection.allow(call);
  const params = { url: "about:blank", newWindow: true };
  core.openingTabs += 1;
  core.protocol.post("Target.createTarget", params, undefined, (answer) => {
    core.openingTabs -= 1;
    const targetId = answer.result?.["targetId"];
    if (typeof targetId !== "string") return connection.answer(call, answer);
    core.give(targetId, agentId);
    // Drivers look for the session as soon as they have the answer.
    connection.autoAttach(targetId, () => {
      const { url } = call.params;
      const session = core.own.sessionOf(targetId);
      if (typeof url === "string" && url !== "" && url !== "about:blank")
        core.protocol.post("Page.navigate", { url }, session);
      connection.answer(call, { result: { targetId } });
    });
  });
}
