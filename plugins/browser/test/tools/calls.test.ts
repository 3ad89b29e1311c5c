import { expect, test } from "vitest";
import {
  MAX_CALLS_IN_FLIGHT,
  MAX_CALLS_QUEUED,
} from "../../src/tools/call-queue.ts";
import { MAX_MESSAGES_A_SECOND } from "../../src/tools/throttled-input.ts";
import { createRealClock } from "../support/real-clock.ts";
import { connectClient, openSocket, textOf } from "./support/mcp-client.ts";
import { createStandInBrowser } from "./support/stand-in-browser.ts";
import { startTools } from "./support/start-tools.ts";

const MAX_CALLS = MAX_CALLS_IN_FLIGHT + MAX_CALLS_QUEUED;

async function startReading(options = {}) {
  const browser = createStandInBrowser();
  const bench = await startTools(() => browser, options);
  await bench.allow({ tier: "read" });
  return { browser, bench };
}

test(
  "calls beyond a few run later, and beyond a limit for all connections of a session they are refused",
  { tags: "thorough" },
  async () => {
    const { browser, bench } = await startReading();
    await using _ = bench;
    const { client, server } = await bench.connect();
    const other = await connectClient(server);
    const gate = Promise.withResolvers<object>();
    browser.answers.set("Page.captureScreenshot", () => gate.promise);
    const clients = [client, other];
    const answers = Array.from({ length: MAX_CALLS + 20 }, (_, index) =>
      clients[index % 2]!.call("browser_screenshot"),
    );
    await expect.poll(() => client.pending + other.pending).toBe(MAX_CALLS);
    const running = browser.calls.filter(
      ({ method }) => method === "Page.captureScreenshot",
    );
    expect(running).toHaveLength(MAX_CALLS_IN_FLIGHT);
    gate.resolve({ data: "AAAA" });
    const refused = (await Promise.all(answers)).filter((each) => each.isError);
    expect(refused).toHaveLength(20);
    expect(textOf(refused[0]!)).toContain("Too many calls at once");
    expect(browser.held).toBe(0);
    other.close();
  },
);

test("an agent that makes thousands of calls at once is slowed down, and another one is not", async () => {
  const { bench } = await startReading();
  await using _ = bench;
  const { client } = await bench.connect();
  const second = await bench.connect();
  let answered = 0;
  for (let count = 0; count < 5_000; count += 1)
    void client.call("browser_nothing").then(() => (answered += 1));
  // A chunk of the socket is read as a whole, and the next one only when its messages have been paid for.
  await expect
    .poll(() => answered)
    .toBeGreaterThanOrEqual(MAX_MESSAGES_A_SECOND);
  expect(textOf(await second.client.call("browser_snapshot"))).toContain(
    "Orders",
  );
  expect(answered).toBeLessThan(2_000);
  const before = answered;
  await bench.kernel.clock.advance(10_000);
  await expect.poll(() => answered).toBeGreaterThan(before);
});

test(
  "a client that does not read its answers is not read either",
  { tags: "thorough" },
  async () => {
    const { browser, bench } = await startReading();
    await using _ = bench;
    const { server } = await bench.connect();
    const data = "A".repeat(2_000_000);
    browser.answers.set("Page.captureScreenshot", () => ({ data }));
    const socket = openSocket(server);
    socket.pause();
    const call = (id: number, method: string, params: object) =>
      socket.write(
        `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`,
      );
    call(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "deaf", version: "1" },
    });
    call(2, "tools/call", { name: "browser_screenshot" });
    const taken = () =>
      browser.calls.filter(({ method }) => method === "Page.captureScreenshot")
        .length;
    await expect.poll(taken).toBe(1);
    await expect.poll(() => browser.held).toBe(0);
    call(3, "tools/call", { name: "browser_screenshot" });
    const { client } = await bench.connect();
    for (let count = 0; count < 3; count += 1) await client.tools();
    expect(taken()).toBe(1);
    socket.resume();
    await expect.poll(taken).toBe(2);
    socket.destroy();
  },
);

test(
  "a call that the client cancels ends, and leaves room for others",
  { tags: "thorough" },
  async () => {
    const { browser, bench } = await startReading();
    await using _ = bench;
    const { client } = await bench.connect();
    browser.answers.set("Page.captureScreenshot", () => new Promise(() => {}));
    const cancelling = new AbortController();
    void client.call("browser_screenshot", {}, cancelling.signal);
    await expect.poll(() => browser.held).toBe(1);
    cancelling.abort();
    await expect.poll(() => browser.held).toBe(0);
  },
);

test("a browser that ends during a call is reported, and the next call gets another one", async () => {
  const browsers = ["First", "Second"].map(createStandInBrowser);
  let current = 0;
  await using bench = await startTools(() => browsers[current]!);
  await bench.allow({ tier: "read" });
  const { client } = await bench.connect();
  browsers[0]!.answers.set("Accessibility.getFullAXTree", () => {
    current = 1;
    browsers[0]!.end();
    return new Promise(() => {});
  });
  const first = await client.call("browser_snapshot");
  expect(first.isError).toBe(true);
  expect(textOf(first)).toContain("The browser ended during this call");
  expect(textOf(await client.call("browser_snapshot"))).toContain("Second");
});

test("a page that is too large is not read", { tags: "thorough" }, async () => {
  const { browser, bench } = await startReading();
  await using _ = bench;
  const { client } = await bench.connect();
  browser.answers.set("Performance.getMetrics", () => ({
    metrics: [{ name: "Nodes", value: 3_000_000 }],
  }));
  browser.answers.set("DOM.performSearch", () => ({ resultCount: 2_900_000 }));
  const answer = await client.call("browser_snapshot");
  expect(textOf(answer)).toContain("too large to be read as text");
  expect(browser.calls.map(({ method }) => method)).not.toContain(
    "Accessibility.getFullAXTree",
  );
});

test("an answer describes an open dialog instead of the page", async () => {
  const { browser, bench } = await startReading();
  await using _ = bench;
  const { client } = await bench.connect();
  await client.call("browser_snapshot");
  browser.emit({
    method: "Page.javascriptDialogOpening",
    params: { type: "confirm", message: "Delete\u202e?" },
    sessionId: "S1",
  });
  expect(textOf(await client.call("browser_snapshot"))).toMatch(
    /opened a dialog \(confirm\)[^]*Delete\?/,
  );
});

test("input that does not fit is refused with a message", async () => {
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
    const answer = await client.call(name, input);
    expect(answer.isError, name).toBe(true);
    expect(textOf(answer), name).toContain(words);
  }
});

test(
  "what the guard refuses is an error in words",
  { tags: "thorough" },
  async () => {
    const { browser, bench } = await startReading({ clock: createRealClock() });
    await using _ = bench;
    await bench.allow({ tier: "act", sites: ["shop.example"] });
    const { client } = await bench.connect();
    browser.answers.set("Input.dispatchKeyEvent", () =>
      Promise.reject(new Error("Gantry: the user is using this tab")),
    );
    const answer = await client.call("browser_press", { key: "Enter" });
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toBe("Gantry: the user is using this tab");
  },
);
