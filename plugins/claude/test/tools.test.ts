import { readFile, stat } from "node:fs/promises";
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
import { createClaudeDriver } from "../src/claude-driver.ts";
import { FAKE_CLAUDE } from "./testing.ts";

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
    { args: toStandIn(FAKE_CLAUDE).args, env, version: "9.9.9" },
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

test("Claude Code gets them by a private file without the key, and calls them without asking", async () => {
  const driver = createClaudeDriver(bench.host);
  const input = await inputOf({ HOME: bench.folder });
  const file = join(input.folder, "tool-servers.json");
  const wanted = ["--mcp-config", file, "--allowedTools", "mcp__bench-tools"];
  const open = await bench.open(driver, input);
  const argv = JSON.parse((await open.turn("[[argv]]")).answer) as string[];
  expect(argv.slice(-4)).toEqual(wanted);
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    mcpServers: {
      "bench-tools": {
        ...{ command: process.execPath, args: server.args },
        env: { TOOL_KEY: "${TOOL_KEY}" },
        alwaysLoad: true,
      },
    },
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await screenOf(driver, input)).args.slice(-4)).toEqual(wanted);
});
