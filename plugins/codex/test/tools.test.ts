import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type {
  AgentDriver,
  OpenScreen,
  OpenSession,
  ToolServer,
} from "@gantry/agent-kit";
import {
  createToolServer,
  DriverBench,
  toStandIn,
} from "@gantry/agent-kit/testing";
import { createCodexDriver } from "../src/codex-driver.ts";
import { FAKE_CODEX } from "./testing.ts";

const NEVER = new AbortController().signal;
const KEY = "key-that-is-nowhere-else";

let bench: DriverBench;
let server: ToolServer;
let tools: readonly ToolServer[];

beforeAll(async () => {
  bench = await DriverBench.start();
  server = createToolServer(join(bench.folder, "calls.jsonl"), KEY);
  tools = [server];
});
afterAll(() => bench.stop());

const inputOf = (
  env: Record<string, string> = {},
  more: Partial<OpenSession> = {},
) =>
  bench.input(
    { args: toStandIn(FAKE_CODEX).args, env, version: "9.9.9" },
    { tools, ...more },
  );

/** The screen of a driver in a new conversation. */
async function screenOf(driver: AgentDriver, input: OpenSession) {
  const receiver = { url: "http://127.0.0.1:1/x", token: "t" };
  const screen = await driver.screen!(
    { ...input, receiver } satisfies OpenScreen,
    NEVER,
  );
  // Every user of the machine can see arguments.
  expect(screen.args.join(" ")).not.toContain(KEY);
  expect(screen.env).toMatchObject({ TOOL_KEY: KEY });
  return screen;
}

test("Codex gets them as settings of the thread, with the names of the variables", async () => {
  const driver = createCodexDriver(bench.host);
  const input = await inputOf({ CODEX_HOME: bench.folder });
  const open = await bench.open(driver, input);
  const settings = (await open.turn("[[settings]]")).answer;
  expect(JSON.parse(settings)).toMatchObject({
    config: {
      mcp_servers: {
        "bench-tools": {
          ...{ command: process.execPath, args: server.args },
          env_vars: ["TOOL_KEY"],
          default_tools_approval_mode: "approve",
        },
      },
    },
  });
  expect(settings).not.toContain(KEY);
  const { args } = await screenOf(driver, input);
  const named = "mcp_servers.bench-tools";
  expect(args).toEqual(
    expect.arrayContaining([
      `${named}.command=${JSON.stringify(process.execPath)}`,
      `${named}.env_vars=["TOOL_KEY"]`,
      `${named}.default_tools_approval_mode="approve"`,
    ]),
  );
});

test("Codex starts ours beside the servers of the user that it must not start", async () => {
  const driver = createCodexDriver(bench.host);
  const env = { CODEX_HOME: bench.folder, FAKE_CODEX_SERVERS: "files" };
  const input = await inputOf(env, { readOnly: true });
  const open = await bench.open(driver, input);
  expect(JSON.parse((await open.turn("[[settings]]")).answer)).toMatchObject({
    config: {
      mcp_servers: {
        files: { enabled: false },
        "bench-tools": { enabled: true },
      },
    },
  });
});
