import type { RunningBrowser } from "../../src/chromium/browser-pool.ts";

/** Opens an address in a new tab and evaluates scripts in it. */
export async function openPage({ protocol }: RunningBrowser, url: string) {
  const { targetId } = await protocol.send<{ targetId: string }>(
    "Target.createTarget",
    {
      url: "about:blank",
      newWindow: true,
    },
  );
  const { sessionId } = await protocol.send<{ sessionId: string }>(
    "Target.attachToTarget",
    {
      targetId,
      flatten: true,
    },
  );
  await protocol.send("Page.enable", {}, sessionId);
  const loaded = Promise.withResolvers<void>();
  const stop = protocol.onEvent((event) => {
    if (event.sessionId === sessionId && event.method === "Page.loadEventFired")
      loaded.resolve();
  });
  await protocol.send("Page.navigate", { url }, sessionId);
  await loaded.promise;
  stop();
  return {
    targetId,
    sessionId,
    async evaluate(expression: string): Promise<unknown> {
      const { result } = await protocol.send<{ result: { value?: unknown } }>(
        "Runtime.evaluate",
        { expression, returnByValue: true, awaitPromise: true },
        sessionId,
      );
      return result.value;
    },
  };
}
