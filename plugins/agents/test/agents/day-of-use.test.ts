import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  installCli,
  startModelServer,
  writeClaudeHome,
  writeCodexHome,
  type ModelServer,
} from "@gantry/model-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel, type Clis } from "../help/agents-kernel.ts";
import { Runner } from "../help/runner.ts";
import { processesIn, until } from "../help/wait.ts";

// What a day brings, in its order, with real CLIs: work in a repository, tasks in the background, a usage limit.

const claude = await installCli("claude");
const codex = await installCli("codex");
const HOUR_S = 3600;
const WAIT_MS = 40_000;

let home: string;
let models: ModelServer;
let agents: AgentsKernel;
const runner = new Runner();

beforeAll(async () => {
  models = await startModelServer();
  home = await realpath(await mkdtemp(join(tmpdir(), "gantry-day-")));
  agents = await AgentsKernel.start({
    clis: await configure(),
    limits: { openAgents: 40, idleCloseMs: 1000 },
    beside: [runner.plugin],
  });
});
afterAll(async () => {
  await agents?.kernel.stop();
  await models?.close();
  await rm(home, { recursive: true, force: true });
});

async function configure(): Promise<Clis> {
  const { ANTHROPIC_API_KEY: _, ...subscriber } = await writeClaudeHome(
    join(home, "claude"),
    models.url,
  );
  return {
    ...(claude && {
      claude: {
        driver: "claude",
        command: claude.program,
        // Limits are those of a subscription, not of a key.
        env: { ...subscriber, CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-test" },
      },
    }),
    ...(codex && {
      codex: {
        driver: "codex",
        command: process.execPath,
        args: [codex.program],
        env: await writeCodexHome(join(home, "codex"), models.url),
      },
    }),
  };
}

/** Has the model call a tool, with arguments that may hold markers. */
const callTool = (name: string, input: object) =>
  `[[toolj:${name}:${JSON.stringify(input)
    .replaceAll("[[", String.raw`\u005b\u005b`)
    .replaceAll("]]", String.raw`\u005d\u005d`)}]]`;

/** Has it run the tests in the background, until there is a file `go`, and report them. */
const testInBackground =
  callTool("Bash", {
    command: "until [ -f go ]; do sleep 0.05; done; echo 12 passed",
    // The notice that a task is over names it, and is what the model answers to.
    description: "the tests [[reply:12 passed]]",
    run_in_background: true,
  }) + "[[reply:I will report]]";

const permissions = { mode: "allow-once" as const, tools: ["*"] };
const run = (id: string, prompt: string, timeoutMs = WAIT_MS) =>
  runner.run(id, prompt, { permissions, timeoutMs });

const untilAtWork = (id: string) =>
  agents.untilAgent(
    id,
    ({ openWork }) => openWork.length === 1,
    "a task is running",
  );

const expectLimit = async (cli: string) => {
  const { id } = await agents.create({ cli });
  const { status, body } = await agents.ask(id, `[[limit:${HOUR_S}]]`, WAIT_MS);
  expect([status, body["code"]]).toEqual([502, "AGENT_TURN_FAILED"]);
  const { problem } = await agents.get(id);
  expect(problem).toMatchObject({ kind: "usage-limit" });
  const inMs = Date.parse(problem?.resetsAt ?? "") - Date.now();
  expect(inMs).toBeGreaterThan((HOUR_S - 60) * 1000);
  const outcome = await run(
    await runner.createAgent(cli),
    `[[limit:${HOUR_S}]]`,
  );
  expect(outcome).toMatchObject({
    failure: "agent-error",
    problem: { kind: "usage-limit" },
  });
  // The limit is over, and the conversation continues.
  const again = await agents.ask(id, "[[reply:back again]]", WAIT_MS);
  expect(again.body.answer).toBe("back again");
  expect((await agents.get(id)).problem).toBeNull();
};

describe.skipIf(!claude)("a day with Claude Code", () => {
  test("a run waits for the tests that it left in the background", async () => {
    const id = await runner.createAgent("claude");
    const running = run(id, testInBackground);
    const { activity, cwd, openWork } = await untilAtWork(id);
    expect([activity, openWork[0]?.title]).toEqual([
      "working",
      expect.stringContaining("the tests"),
    ]);
    await writeFile(join(cwd, "go"), "");
    expect(await running).toMatchObject({
      failure: null,
      message: "12 passed",
    });
  });

  test("a run that takes too long names the task that it waited for, and ends it", async () => {
    const id = await runner.createAgent("claude");
    const outcome = await run(id, testInBackground, 6000);
    expect(outcome.failure).toBe("timeout");
    expect(outcome.message).toContain("1 background task was still running");
    const { cwd } = await agents.get(id);
    await until(
      async () => (await processesIn(cwd)).length === 0,
      "the task is gone",
    );
  });

  test("a run waits for a sub-agent", async () => {
    const id = await runner.createAgent("claude");
    const prompt = callTool("Task", {
      description: "look for it [[reply:it was found]]",
      prompt:
        callTool("Bash", { command: "until [ -f go ]; do sleep 0.05; done" }) +
        "[[reply:found]]",
      subagent_type: "general-purpose",
      run_in_background: true,
    });
    const running = run(id, `${prompt}[[reply:it looks]]`);
    const { cwd } = await untilAtWork(id);
    await writeFile(join(cwd, "go"), "");
    expect(await running).toMatchObject({
      failure: null,
      message: "it was found",
    });
  });

  test("a usage limit fails the turn with its end, and is over with it", () =>
    expectLimit("claude"));
});

describe.skipIf(!codex)("a day with Codex", () => {
  test("a usage limit fails the turn with its end, and is over with it", () =>
    expectLimit("codex"));
});
