import { expect, test, vi } from "vitest";
import { CallQueue } from "../../src/tools/call-queue.ts";
import { createStandInBrowser } from "./stand-in-browser.ts";
import { startTools, textOf } from "./support.ts";

async function startReading(title?: string) {
  const browser = createStandInBrowser(title);
  const bench = await startTools({
    open: async () => browser,
    lent: () => [browser],
  });
  await bench.allow({ tier: "read" });
  return { browser, bench };
}

test("a thousand calls at once: a few run, some wait, the others are refused with a message", async () => {
  const { browser, bench } = await startReading();
  await using _ = bench;
  const { client } = await bench.connect();
  const gate = Promise.withResolvers<object>();
  browser.answers.set("Page.captureScreenshot", () => gate.promise);
  const refused: string[] = [];
  const answered: unknown[] = [];
  const calls = Array.from({ length: 1000 }, async () => {
    const answer = await client.callTool(
      { name: "browser_screenshot" },
      undefined,
      { timeout: 120_000 },
    );
    if (answer.isError) refused.push(textOf(answer));
    else answered.push(answer);
  });
  await vi.waitFor(() => expect(refused).toHaveLength(1000 - 72), {
    timeout: 60_000,
  });
  expect(new Set(refused).size).toBe(1);
  expect(refused[0]).toContain("Too many calls at once");
  const waiting = browser.calls.filter(
    ({ method }) => method === "Page.captureScreenshot",
  );
  expect(waiting).toHaveLength(8);
  gate.resolve({ data: "AAAA" });
  await Promise.all(calls);
  expect(answered).toHaveLength(72);
  expect(browser.held).toBe(0);
}, 120_000);

test("a call that the client cancels ends, and leaves room for others", async () => {
  const { browser, bench } = await startReading();
  await using _ = bench;
  const { client } = await bench.connect();
  browser.answers.set("Page.captureScreenshot", () => new Promise(() => {}));
  const cancelling = new AbortController();
  const call = client.callTool({ name: "browser_screenshot" }, undefined, {
    signal: cancelling.signal,
  });
  await vi.waitFor(() => expect(browser.held).toBe(1));
  cancelling.abort();
  await expect(call).rejects.toThrow();
  await vi.waitFor(() => expect(browser.held).toBe(0));
});

test("a browser that ends during a call is reported, and the next call gets another one", async () => {
  const browsers = [
    createStandInBrowser("First"),
    createStandInBrowser("Second"),
  ];
  let current = 0;
  await using bench = await startTools({
    open: async () => browsers[current]!,
    lent: () => [browsers[current]!],
  });
  await bench.allow({ tier: "read" });
  const { client } = await bench.connect();
  browsers[0]!.answers.set("Accessibility.getFullAXTree", () => {
    current = 1;
    browsers[0]!.end();
    return new Promise(() => {});
  });
  const first = await client.callTool({ name: "browser_snapshot" });
  expect(first.isError).toBe(true);
  expect(textOf(first)).toContain("The browser ended during this call");
  const second = await client.callTool({ name: "browser_snapshot" });
  expect(textOf(second)).toContain("Second");
});

test("a page that is too large is not read", async () => {
  const { browser, bench } = await startReading();
  await using _ = bench;
  const { client } = await bench.connect();
  browser.answers.set("Performance.getMetrics", () => ({
    metrics: [{ name: "Nodes", value: 3_000_000 }],
  }));
  browser.answers.set("DOM.performSearch", () => ({ resultCount: 2_900_000 }));
  const answer = await client.callTool({ name: "browser_snapshot" });
  expect(textOf(answer)).toContain("too large to be read as text");
  expect(browser.calls.map(({ method }) => method)).not.toContain(
    "Accessibility.getFullAXTree",
  );
});

test("an answer describes an open dialog instead of the page", async () => {
  const { browser, bench } = await startReading();
  await using _ = bench;
  const { client } = await bench.connect();
  await client.callTool({ name: "browser_snapshot" });
  browser.emit({
    method: "Page.javascriptDialogOpening",
    params: { type: "confirm", message: "Delete\u202e?" },
    sessionId: "S1",
  });
  const answer = await client.callTool({ name: "browser_snapshot" });
  expect(textOf(answer)).toMatch(/opened a dialog \(confirm\)[^]*Delete\?/);
});

test("input that does not match is refused with a message", async () => {
  const { bench } = await startReading();
  await using _ = bench;
  const { client } = await bench.connect();
  for (const [name, input, words] of [
    ["browser_find", {}, "text"],
    ["browser_find", { text: 5 }, "text"],
    ["browser_shell", {}, "no tool"],
    ["__proto__", {}, "no tool"],
    ["browser_screenshot", { ref: "e99" }, "not in the newest snapshot"],
    ["browser_screenshot", { ref: "../etc" }, "ref"],
  ] as const) {
    const answer = await client.callTool({ name, arguments: input });
    expect(answer.isError, name).toBe(true);
    expect(textOf(answer), name).toContain(words);
  }
});

test("the queue keeps its order and its limits with ten thousand calls", async () => {
  const queue = new CallQueue();
  const { signal } = new AbortController();
  const leaving = new AbortController();
  const gate = Promise.withResolvers<void>();
  const ran: number[] = [];
  const calls = Array.from({ length: 10_000 }, (_, index) =>
    queue.run(
      async () => {
        ran.push(index);
        await gate.promise;
      },
      index === 20 ? leaving.signal : signal,
    ),
  );
  const settled = Promise.allSettled(calls);
  leaving.abort(new Error("cancelled"));
  await expect(calls[20]).rejects.toThrow("cancelled");
  expect(ran).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  gate.resolve();
  const outcomes = await settled;
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(
    71,
  );
  expect(ran).toEqual(
    Array.from({ length: 72 }, (_, index) => index).filter(
      (index) => index !== 20,
    ),
  );
  await queue.run(async () => void ran.push(-1), signal);
  expect(ran.at(-1)).toBe(-1);
});
