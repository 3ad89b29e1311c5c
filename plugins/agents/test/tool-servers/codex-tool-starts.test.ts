import { expect, test } from "vitest";
import { CodexToolStarts } from "../../src/drivers/codex/codex-tool-starts.ts";

const NEVER = new AbortController().signal;
const METHOD = "mcpServer/startupStatus/updated";

/** Waits for two servers, with the clock that limits it. */
function startWaiting(signal = NEVER) {
  let expire = () => {};
  let isCleared = false;
  const clock = {
    after(_ms: number, callback: () => void) {
      expire = callback;
      return () => void (isCleared = true);
    },
  };
  const starts = new CodexToolStarts(["one", "two"]);
  let isOver = false;
  const over = starts.wait(clock, signal).finally(() => (isOver = true));
  return {
    starts,
    over,
    expire: () => expire(),
    isOver: () => isOver,
    isCleared: () => isCleared,
  };
}

test("it waits until each server has started or failed", async () => {
  const { starts, over, isOver, isCleared } = startWaiting();
  starts.take(METHOD, { name: "one", status: "starting" });
  starts.take(METHOD, { name: "one", status: "ready" });
  starts.take(METHOD, { name: "a server of the user", status: "failed" });
  starts.take("turn/started", { name: "two", status: "ready" });
  starts.take(METHOD, { name: 2 });
  await Promise.resolve();
  expect(isOver()).toBe(false);
  starts.take(METHOD, { name: "two", status: "failed" });
  await over;
  expect(isCleared()).toBe(true);
});

test("it does not wait for one that never starts, nor beyond the end", async () => {
  const { over, expire } = startWaiting();
  expire();
  await over;

  const ending = new AbortController();
  const ended = startWaiting(ending.signal);
  ending.abort(new Error("The process has ended."));
  await expect(ended.over).rejects.toThrow("The process has ended.");
});

test("it does not wait without servers", async () => {
  await new CodexToolStarts([]).wait({ after: () => () => {} }, NEVER);
});
