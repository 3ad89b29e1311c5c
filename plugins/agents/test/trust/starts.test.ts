import {
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { definePlugin } from "@gantry/plugin";
import { cases, thoroughUnless } from "@gantry/build/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT_IN_CLIS } from "../../src/clis/built-in-clis.ts";
import type { CliConfig } from "../../src/config.ts";
import { AgentMessages } from "../../src/contract.ts";
import {
  ANY_TRUST_PATHS,
  CLAUDE_TRUST_PATHS,
  CODEX_TRUST_PATHS,
  GEMINI_TRUST_PATHS,
  OPENCODE_TRUST_PATHS,
  PI_TRUST_PATHS,
} from "../../src/trust/trust-paths.ts";
import { AgentsKernel, type Clis } from "../help/agents-kernel.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";
import { Runner } from "../help/runner.ts";

const NEVER = new AbortController().signal;
const STAND_INS = {
  pi: "fake-pi",
  claude: "fake-claude",
  codex: "fake-codex",
  opencode: "rough-acp",
  gemini: "rough-acp",
  other: "rough-acp",
  shown: "rough-acp",
} as const;
type Cli = keyof typeof STAND_INS;

const TRUST_PATHS: Readonly<Record<Cli, readonly string[]>> = {
  pi: PI_TRUST_PATHS,
  claude: CLAUDE_TRUST_PATHS,
  codex: CODEX_TRUST_PATHS,
  opencode: OPENCODE_TRUST_PATHS,
  gemini: GEMINI_TRUST_PATHS,
  other: ANY_TRUST_PATHS,
  // Shown in a terminal by the driver for any program.
  shown: ANY_TRUST_PATHS,
};

const runner = new Runner();
const terminals = new FakeTerminals();
let messages: AgentMessages;
const talker = definePlugin({
  id: "talker",
  api: 1,
  summary: "Sends messages, as the Inbox and snippets do",
  mounts: [],
  needs: { messages: AgentMessages },
  setup: (ctx) => void (messages = ctx.needs.messages),
});

let agents: AgentsKernel;
let home: string;
let canary: string;
let count = 0;

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "gantry-starts-")));
  canary = join(home, "canary.txt");
  agents = await AgentsKernel.start({
    beside: [runner.plugin, terminals.plugin, talker],
    clis: Object.fromEntries(
      Object.keys(STAND_INS).map((cli) => [cli, withCanary(cli as Cli)]),
    ),
    limits: { openAgents: 100 },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(home, { recursive: true, force: true });
});

/** A CLI as it is built in, with a stand-in that tells where it was started. */
function withCanary(cli: Cli): Clis[string] {
  const known: CliConfig = BUILT_IN_CLIS[cli] ?? {
    driver: cli === "shown" ? "terminal" : "acp",
    command: "",
    args: [],
    env: {},
  };
  const fileOf = (name: string) =>
    fileURLToPath(new URL(`../stand-ins/${name}.ts`, import.meta.url));
  const args = [fileOf("canary"), canary, fileOf(STAND_INS[cli])];
  const screen = known.screen && {
    fresh: [...args, ...known.screen.fresh],
    resume: [...args, ...known.screen.resume],
  };
  return {
    ...known,
    command: process.execPath,
    args: [...args, ...known.args],
    env: { ...known.env, HOME: home, FAKE_PI_HOME: home, CODEX_HOME: home },
    ...(screen && { screen }),
    ...(known.version && { version: [...args, ...known.version] }),
    ...(known.login && { login: [...args, ...known.login] }),
  };
}

/** A project with a file or folder of configuration, in it or above it. */
async function createProject(trustPath: string): Promise<string> {
  const outer = join(home, `project-${(count += 1)}`);
  const cwd = join(outer, "packages", "app");
  await mkdir(cwd, { recursive: true });
  const file = trustPath.startsWith("^")
    ? join(outer, trustPath.slice(1))
    : join(cwd, trustPath);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "{}");
  return cwd;
}

async function startsIn(cwd: string): Promise<string[]> {
  const text = await readFile(canary, "utf8").catch(() => "");
  const shown = terminals.opened.map((opening) => opening.cwd);
  const folders = [...text.split("\n"), ...shown];
  return folders.filter((folder) => folder === cwd);
}

const REFUSED = { status: 409, body: { code: "AGENT_TRUST_REQUIRED" } };

for (const cli of Object.keys(TRUST_PATHS) as Cli[])
  describe(
    cli,
    { tags: thoroughUnless(["pi", "claude"].includes(cli)) },
    () => {
      const start = (id: string) =>
        agents.kernel.api.post(
          `/api/agents/${id}/${cli === "shown" ? "open" : "managed/start"}`,
        );

      test("does not start before its configuration is trusted, wherever that is", async () => {
        await Promise.all(
          TRUST_PATHS[cli].map(async (path) => {
            const cwd = await createProject(path);
            const { id } = await agents.create({ cli, cwd });
            expect(await start(id), path).toMatchObject(REFUSED);
            expect(await startsIn(cwd), path).toEqual([]);
          }),
        );
      });

      test("starts once its folder is trusted, and no more when it changed", async () => {
        const [path = ""] = TRUST_PATHS[cli];
        const cwd = await createProject(path);
        const { id } = await agents.create({ cli, cwd });
        await agents.kernel.api.post(`/api/agents/${id}/trust`);
        expect(await start(id)).toMatchObject({ status: 200 });
        expect(await startsIn(cwd)).toHaveLength(1);
        await agents.close(id);
        const place = path.startsWith("^") ? dirname(dirname(cwd)) : cwd;
        const file = join(place, path.replace("^", ""));
        await writeFile(file, '{ "changed": true }');
        expect(await start(id)).toMatchObject(REFUSED);
        expect(await startsIn(cwd)).toHaveLength(1);
      });
    },
  );

/** Everything that starts a CLI, or could, and what it answers in a folder that is not trusted. */
const WAYS: readonly (readonly [
  name: string,
  act: (id: string) => Promise<unknown>,
  outcome: object,
])[] = [
  ...(
    [
      ["open", {}],
      ["managed/start", {}],
      ["prompt", { message: "hello" }],
      ["prompt", { message: "hello", kind: "follow_up" }],
      ["prompt", { message: "hello", kind: "steer" }],
      ["ask", { text: "hello" }],
      ["command", { text: "/compact" }],
      ["compact", {}],
    ] as const
  ).map(
    ([path, body]) =>
      [
        `${path} ${JSON.stringify(body)}`,
        (id: string) =>
          agents.kernel.api.post(`/api/agents/${id}/${path}`, body),
        REFUSED,
      ] as const,
  ),
  ["a run", (id) => runner.run(id, "hello"), { failure: "trust-required" }],
  [
    "a run that continues the conversation",
    (id) => runner.run(id, "hello", { freshSession: false }),
    { failure: "trust-required" },
  ],
  [
    "a run that only reports",
    (id) =>
      runner.run(id, "hello", {
        permissions: { mode: "report-only", tools: [] },
      }),
    { failure: "trust-required" },
  ],
  [
    "a message of another plugin",
    (agentId) =>
      messages
        .prompt(
          { agentId, message: "hello", kind: "prompt", source: "x" },
          NEVER,
        )
        .catch((error: unknown) => error),
    { code: "AGENT_TRUST_REQUIRED" },
  ],
  [
    "a copy",
    async (id) => {
      const { body } = await agents.kernel.api.post<{ id: string }>(
        `/api/agents/${id}/clone`,
      );
      return await agents.kernel.api.post(`/api/agents/${body.id}/prompt`, {
        message: "hello",
      });
    },
    REFUSED,
  ],
  [
    "a conversation that was taken in",
    async (id) => {
      const { api } = agents.kernel;
      const { id: source } = await agents.create({ cli: "practice" });
      await agents.ask(source, "[[reply:hello]]");
      const exported = await api.open(`/api/agents/${source}/export`);
      const taken = await api.request("POST", `/api/agents/${id}/import`, {
        body: Buffer.from(await exported.arrayBuffer()),
        headers: { "content-type": "application/x-ndjson" },
      });
      expect(taken.status).toBe(200);
      return await api.post(`/api/agents/${id}/prompt`, { message: "hello" });
    },
    REFUSED,
  ],
  [
    "a queued task",
    (id) =>
      agents.kernel.api.post(`/api/agents/${id}/tasks`, {
        payload: { message: "hello" },
      }),
    { status: 200 },
  ],
  [
    "a login",
    (id) => agents.kernel.api.post(`/api/agents/${id}/login`),
    { status: 200 },
  ],
  [
    "a block of code",
    (id) =>
      agents.kernel.api.post(`/api/agents/${id}/snippet`, {
        lang: "sh",
        code: "true",
      }),
    { status: 200 },
  ],
  [
    "a shell command",
    (id) =>
      agents.kernel.api.post(`/api/agents/${id}/bash`, { command: "true" }),
    { status: 200 },
  ],
  [
    "a list of commands",
    (id) => agents.kernel.api.get(`/api/agents/${id}/slash`),
    { status: 200 },
  ],
  [
    "an export of what the CLI keeps",
    (id) =>
      agents.kernel.api.get(`/api/agents/${id}/export`, { format: "native" }),
    { status: 409 },
  ],
  [
    "a list of CLIs",
    () => agents.kernel.api.get("/api/agents/clis"),
    { status: 200 },
  ],
  [
    "what could be cleaned up",
    (id) => agents.kernel.api.get(`/api/agents/${id}/cleanup`),
    { status: 200 },
  ],
];

test.each(WAYS)(
  "%s starts no CLI in a folder that is not trusted",
  async (_name, act, outcome) => {
    const cwd = await createProject("^.claude/settings.json");
    const { id } = await agents.create({ cli: "claude", cwd });
    expect(await act(id)).toMatchObject(outcome);
    expect(await startsIn(cwd)).toEqual([]);
    await agents.kernel.api.delete(`/api/agents/${id}`, {});
  },
);

test.each(cases(["pi", "claude", "codex", "opencode", "gemini"]))(
  "the login of %s runs in a folder of the daemon's own",
  async (cli) => {
    const cwd = await createProject(".claude/settings.json");
    const { id } = await agents.create({ cli, cwd });
    const before = terminals.opened.length;
    const answer = await agents.kernel.api.post(`/api/agents/${id}/login`);
    expect(answer.status).toBe(200);
    const [opened] = terminals.opened.slice(before);
    expect(opened?.cwd).toBe(join(agents.kernel.home, "data", "agents", "own"));
  },
);
