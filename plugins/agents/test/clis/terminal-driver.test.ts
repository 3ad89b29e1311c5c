import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createToolServer, DriverBench } from "@gantry/agent-kit/testing";
import { createTerminalDriver } from "../../src/clis/terminal-driver.ts";

const NEVER = new AbortController().signal;
const KEY = "key-that-is-nowhere-else";

let bench: DriverBench;

beforeAll(async () => {
  bench = await DriverBench.start();
});
afterAll(() => bench.stop());

test("a program in a terminal has the variables in its environment", async () => {
  const server = createToolServer(join(bench.folder, "calls.jsonl"), KEY);
  const input = await bench.input({}, { tools: [server] });
  const receiver = { url: "http://127.0.0.1:1/x", token: "t" };
  const screen = await createTerminalDriver().screen!(
    { ...input, receiver },
    NEVER,
  );
  // What is in arguments is seen by every user of the machine.
  expect(screen.args.join(" ")).not.toContain(KEY);
  expect(screen.env).toMatchObject({ TOOL_KEY: KEY });
});
