import type { BrowserMessage } from "../../../src/contract.ts";
import type { Guard } from "../../../src/guard/guard.ts";

/** The agent's side of a connection. */
export type TestAgent = ReturnType<typeof driveAgent>;

/** Connects an agent that attaches to all of its tabs. */
export async function connectAgent(
  guard: Guard,
  agentId: string,
): Promise<TestAgent> {
  const agent = driveAgent();
  Object.assign(agent, guard.connect(agentId, agent.take));
  await agent.call("Target.setAutoAttach", {
    ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
  });
  return agent;
}

/** Drives a connection: makes calls with `post`, and waits for what `take` is given. */
export function driveAgent() {
  const events: BrowserMessage[] = [];
  const answers: BrowserMessage[] = [];
  const waiting = new Map<unknown, (answer: BrowserMessage) => void>();
  const listeners = new Set<(event: BrowserMessage) => void>();
  const agent = {
    ...{ events, answers, call, until, sessionOf, openTab, evaluate },
    /** Called with each message, before callers that wait for it. */
    onMessage: (_message: BrowserMessage): void => {},
    post: (_message: unknown): void => {},
    close: (): void => {},
    take(message: BrowserMessage): void {
      agent.onMessage(message);
      if (message.method === undefined) {
        answers.push(message);
        waiting.get(message.id)?.(message);
        return;
      }
      events.push(message);
      for (const listener of listeners) listener(message);
    },
  };
  let lastId = 0;

  /** Makes a call and returns its answer, result or error. */
  function call(
    method: string,
    params: unknown = {},
    sessionId?: unknown,
  ): Promise<BrowserMessage> {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<BrowserMessage>();
    waiting.set(id, resolve);
    agent.post({
      ...{ id, method, params },
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    return promise;
  }

  /** The next matching event, or one that has arrived since `from`. */
  function until(
    matches: (event: BrowserMessage) => boolean,
    from = events.length,
  ): Promise<BrowserMessage> {
    const known = events.slice(from).find(matches);
    if (known) return Promise.resolve(known);
    const { promise, resolve } = Promise.withResolvers<BrowserMessage>();
    const listener = (event: BrowserMessage) => {
      if (!matches(event)) return;
      listeners.delete(listener);
      resolve(event);
    };
    listeners.add(listener);
    return promise;
  }

  /** The session of a tab that was attached to automatically. */
  function sessionOf(targetId: string): string | undefined {
    return events.findLast(
      ({ method, params }) =>
        method === "Target.attachedToTarget" &&
        (params?.["targetInfo"] as { targetId: string }).targetId === targetId,
    )?.params?.["sessionId"] as string | undefined;
  }

  /** Opens a tab and waits for its page. */
  async function openTab(url: string) {
    const opened = await call("Target.createTarget", { url: "about:blank" });
    if (!opened.result) throw new Error(opened.error?.message);
    const targetId = String(opened.result["targetId"]);
    const sessionId = sessionOf(targetId)!;
    await call("Page.enable", {}, sessionId);
    const from = events.length;
    const { error } = await call("Page.navigate", { url }, sessionId);
    if (error) throw new Error(error.message);
    await until(
      (event) =>
        event.sessionId === sessionId && event.method === "Page.loadEventFired",
      from,
    );
    return { targetId, sessionId };
  }

  /** Runs a script in a page and returns its value, or the error of the call. */
  async function evaluate(
    expression: string,
    sessionId: string,
  ): Promise<unknown> {
    const { result, error } = await call(
      "Runtime.evaluate",
      {
        ...{ expression, returnByValue: true },
        ...{ userGesture: true, awaitPromise: true },
      },
      sessionId,
    );
    return error ?? (result?.["result"] as { value?: unknown }).value;
  }

  return agent;
}
