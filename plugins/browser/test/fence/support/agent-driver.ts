import type { AgentMessage, Guard } from "../../../src/fence/guard.ts";

/** The agent's side of a connection. */
export type AgentDriver = Awaited<ReturnType<typeof connectAgent>>;

/** Connects an agent with auto-attach. */
export async function connectAgent(guard: Guard, agentId: string) {
  const events: AgentMessage[] = [];
  const answers: AgentMessage[] = [];
  const waiting = new Map<unknown, (answer: AgentMessage) => void>();
  const listeners = new Set<(event: AgentMessage) => void>();
  const connection = guard.connect({
    agentId,
    send(message) {
      if (message.method === undefined) {
        answers.push(message);
        waiting.get(message.id)?.(message);
      } else {
        events.push(message);
        for (const listener of listeners) listener(message);
      }
    },
  });
  let lastId = 0;

  /** Makes a call and returns its answer, result or error. */
  function call(method: string, params: unknown = {}, sessionId?: unknown) {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<AgentMessage>();
    waiting.set(id, resolve);
    connection.post({
      id,
      method,
      params,
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    return promise;
  }

  /** The next matching event, or one that has arrived since `from`. */
  function until(fits: (event: AgentMessage) => boolean, from = events.length) {
    const known = events.slice(from).find(fits);
    if (known) return Promise.resolve(known);
    const { promise, resolve } = Promise.withResolvers<AgentMessage>();
    const listener = (event: AgentMessage) => {
      if (!fits(event)) return;
      listeners.delete(listener);
      resolve(event);
    };
    listeners.add(listener);
    return promise;
  }

  await call("Target.setAutoAttach", {
    ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
  });
  return {
    ...{ events, answers, call, until },
    post: (message: unknown) => connection.post(message),
    close: () => connection.close(),
    /** The session of an auto-attached tab. */
    sessionOf(targetId: string): string | undefined {
      return events.findLast(
        ({ method, params }) =>
          method === "Target.attachedToTarget" &&
          (params?.["targetInfo"] as { targetId: string }).targetId ===
            targetId,
      )?.params?.["sessionId"] as string | undefined;
    },
    /** Opens a tab and waits for its page. */
    async openTab(url: string) {
      const { result, error } = await call("Target.createTarget", {
        url: "about:blank",
      });
      if (!result) throw new Error(error?.message);
      const targetId = String(result["targetId"]);
      const sessionId = this.sessionOf(targetId)!;
      await call("Page.enable", {}, sessionId);
      const from = events.length;
      const answer = await call("Page.navigate", { url }, sessionId);
      if (answer.error) throw new Error(answer.error.message);
      await until(
        (event) =>
          event.sessionId === sessionId &&
          event.method === "Page.loadEventFired",
        from,
      );
      return { targetId, sessionId };
    },
  };
}
