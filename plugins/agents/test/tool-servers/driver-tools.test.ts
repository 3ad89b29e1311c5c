import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type {
  AgentDriver,
  OpenScreen,
  OpenSession,
  ToolServer,
} from "../../src/contract.ts";
import { createClaudeDriver } from "../../src/drivers/claude/claude-driver.ts";
import { createCodexDriver } from "../../src/drivers/codex/codex-driver.ts";
import { createPiDriver } from "../../src/drivers/pi/pi-driver.ts";
import { piToolArguments } from "../../src/drivers/pi/pi-tools.ts";
import { standIn } from "../help/agents-kernel.ts";
import { DriverBench } from "../help/driver-bench.ts";
import { createToolServer, readToolCalls } from "../help/tool-server.ts";

const NEVER = new AbortController().signal;
const KEY = "key-that-is-nowhere-else";

let bench: DriverBench;
let calls: string;
let server: ToolServer;
let tools: readonly ToolServer[];

beforeAll(async () => {
  bench = await DriverBench.start();
  calls = join(bench.folder, "calls.jsonl");
  server = createToolServer(calls, KEY);
  tools = [server];
});
afterAll(() => bench.stop());

const inputOf = (
  name: Parameters<typeof standIn>[0],
  env: Record<string, string> = {},
  more: Partial<OpenSession> = {},
) =>
  bench.input(
    { args: standIn(name)?.args ?? [], env, version: "9.9.9" },
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
  const input = await inputOf("fake-claude", { HOME: bench.folder });
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

test("Codex gets them as settings of the thread, with the names of the variables", async () => {
  const driver = createCodexDriver(bench.host);
  const input = await inputOf("fake-codex", { CODEX_HOME: bench.folder });
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

test(
  "Codex starts ours beside the servers of the user that it must not start",
  { tags: "thorough" },
  async () => {
    const driver = createCodexDriver(bench.host);
    const env = { CODEX_HOME: bench.folder, FAKE_CODEX_SERVERS: "files" };
    const input = await inputOf("fake-codex", env, { readOnly: true });
    const open = await bench.open(driver, input);
    expect(JSON.parse((await open.turn("[[settings]]")).answer)).toMatchObject({
      config: {
        mcp_servers: {
          files: { enabled: false },
          "bench-tools": { enabled: true },
        },
      },
    });
  },
);

test("pi gets an extension without the key, and may use them if it only reads", async () => {
  const driver = createPiDriver(bench.host);
  const input = await inputOf("fake-pi", {}, { readOnly: true });
  const { args } = await screenOf(driver, input);
  const file = join(input.folder, "pi-tools.ts");
  expect(args).toEqual(expect.arrayContaining(["-e", file]));
  expect(args[args.indexOf("--tools") + 1]).toBe(
    "read,grep,find,ls,echo,refuse",
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, "utf8")).not.toContain(KEY);
});

/** A tool as registered with pi. */
interface PiTool {
  name: string;
  parameters: object;
  execute(
    id: string,
    input: object,
    signal?: AbortSignal,
  ): Promise<{ content: { text?: string }[] }>;
}

/** Loads the extension as pi does; returns what it registers, and its notices at the start of a session. */
async function loadExtension(servers: readonly ToolServer[]) {
  const { folder } = await inputOf("fake-pi");
  const [, file = ""] = await piToolArguments(folder, servers);
  const extension = (await import(pathToFileURL(file).href)) as {
    default: (pi: object) => Promise<void>;
  };
  const found = new Map<string, PiTool>();
  const handlers = new Map<string, (event: object, ctx: object) => void>();
  await extension.default({
    registerTool: (tool: PiTool) => found.set(tool.name, tool),
    on: (event: string, handler: () => void) => handlers.set(event, handler),
  });
  onTestFinished(() => handlers.get("session_shutdown")?.({}, {}));
  const notices: string[] = [];
  const notify = (text: string) => notices.push(text);
  handlers.get("session_start")?.({}, { ui: { notify } });
  return { tools: found, notices };
}

test("the extension of pi registers the tools of the server and calls them", async () => {
  vi.stubEnv("TOOL_KEY", KEY);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { tools: found, notices } = await loadExtension(tools);
  expect([...found.keys()]).toEqual(["echo", "refuse"]);
  expect(notices).toEqual([]);
  const echo = found.get("echo")!;
  expect(echo.parameters).toMatchObject({ type: "object" });
  const { content } = await echo.execute("1", { text: "hi" });
  expect(content).toEqual([{ type: "text", text: "echo: hi" }]);
  expect(readToolCalls(calls).at(-1)).toMatchObject({ key: KEY });
  const refused = found.get("refuse")!.execute("2", { text: "no" });
  await expect(refused).rejects.toThrow("refuse: no");
  const stop = new AbortController();
  const hanging = echo.execute("3", { text: "hang" }, stop.signal);
  stop.abort();
  await expect(hanging).rejects.toThrow("cancelled");
  const dying = echo.execute("4", { text: "die" });
  await expect(dying).rejects.toThrow("not there any more");
});

test(
  "pi works without a server that does not start, and reports it",
  { tags: "thorough" },
  async () => {
    const broken = { ...server, command: "/nonexistent/tool-server" };
    const { tools: found, notices } = await loadExtension([broken]);
    expect(found.size).toBe(0);
    expect(notices).toEqual([expect.stringContaining("bench-tools")]);
  },
);
