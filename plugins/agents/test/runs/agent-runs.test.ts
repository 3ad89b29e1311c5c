import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { Runner } from "../help/runner.ts";
import { ScriptedCli } from "../help/scripted-cli.ts";
import { isAlive, until } from "../help/wait.ts";

const runner = new Runner();
const createAgent = (cli: string) => runner.createAgent(cli);
const run: Runner["run"] = (...input) => runner.run(...input);
let agents: AgentsKernel;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-runs-"));
  const pi = (env: Record<string, string> = {}) =>
    standIn("fake-pi", { FAKE_PI_HOME: home, ...env });
  agents = await AgentsKernel.start({
    beside: [runner.plugin],
    clis: {
      pi: pi(),
      rough: standIn("rough-acp"),
      stubborn: pi({ FAKE_PI_STUBBORN: "1" }),
      broken: pi({ FAKE_PI_REFUSE: "cannot find my brain" }),
      gone: { driver: "acp", command: "no-such-agent-anywhere" },
    },
    limits: { openAgents: 50, abortMs: 300 },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(home, { recursive: true, force: true });
});

describe("a run", () => {
  test("gives the final message and what it cost, and closes the agent", async () => {
    const id = await createAgent("practice");
    const outcome = await run(
      id,
      "[[reply:first]][[run:true]][[cost:0.3]][[reply:all is well]]",
    );
    expect(outcome).toMatchObject({
      failure: null,
      message: "all is well",
      usage: { costUsd: 0.3 },
      permissionsAsked: [],
      permissionsRefused: [],
    });
    const agent = await agents.get(id);
    expect(agent).toMatchObject({
      state: "closed",
      sessionId: outcome.sessionId,
      usage: { costUsd: 0.3 },
    });
    expect((await agents.entries(id))[0]?.message).toMatchObject({
      source: "automation",
    });
  });

  test("begins a fresh conversation each time, or continues the last", async () => {
    const id = await createAgent("practice");
    const first = await run(id, "[[reply:a]]");
    const second = await run(id, "[[recall]]");
    expect(second.message).not.toContain("reply:a");
    expect(second.sessionId).not.toBe(first.sessionId);
    const third = await run(id, "[[recall]]", { freshSession: false });
    expect(third.sessionId).toBe(second.sessionId);
    expect(third.message).toContain("[[recall]]");
  });

  test(
    "counts the cost of a fresh conversation from 0",
    { tags: "thorough" },
    async () => {
      const id = await createAgent("practice");
      expect((await run(id, "[[cost:2]][[reply:a]]")).usage.costUsd).toBe(2);
      expect((await run(id, "[[cost:0.5]][[reply:b]]")).usage.costUsd).toBe(
        0.5,
      );
      expect(
        (await run(id, "[[cost:0.25]][[reply:c]]", { freshSession: false }))
          .usage.costUsd,
      ).toBe(0.25);
      const { body } = await agents.kernel.api.get<{
        items: { key: string; usage: { costUsd: number } }[];
      }>("/api/usage", { by: "automation" });
      const { automationId } = await agents.get(id);
      expect(
        body.items.find(({ key }) => key === automationId)?.usage.costUsd,
      ).toBe(2.75);
    },
  );

  test("that costs too much is stopped at once, with all that it started", async () => {
    const id = await createAgent("practice");
    const { cwd } = await agents.get(id);
    const outcome = await run(
      id,
      `[[cost:0.1]][[run:sleep 300 > /dev/null 2>&1 & echo $! > ${cwd}/pid]][[cost:49.9]][[run:sleep 300]][[reply:rich]]`,
      {
        maxCostUsd: 1,
      },
    );
    expect(outcome).toMatchObject({
      failure: "cost-cap",
      usage: { costUsd: 50 },
    });
    expect(outcome.message).toContain("50");
    const pid = Number(await readFile(join(cwd, "pid"), "utf8"));
    await until(() => !isAlive(pid), "the tool is gone");
    expect((await agents.get(id)).state).toBe("closed");
  });

  test("that costs exactly its cap is done", async () => {
    const id = await createAgent("practice");
    expect(
      (await run(id, "[[cost:1]][[reply:ok]]", { maxCostUsd: 1 })).failure,
    ).toBeNull();
  });

  test("that takes too long is stopped, also when the CLI ignores signals", async () => {
    const id = await createAgent("stubborn");
    const outcome = await run(id, "[[reply:hm]][[hang]]", { timeoutMs: 500 });
    expect(outcome.failure).toBe("timeout");
    expect((await agents.get(id)).state).toBe("closed");
  });

  test("that is cancelled ends its processes", async () => {
    const id = await createAgent("practice");
    const { cwd } = await agents.get(id);
    const cancel = new AbortController();
    const outcome = run(
      id,
      `[[run:echo $$ > ${cwd}/pid; sleep 300]]`,
      {},
      cancel.signal,
    );
    const pid = await until(
      async () =>
        Number(await readFile(join(cwd, "pid"), "utf8").catch(() => "")),
      "the tool runs",
    );
    cancel.abort();
    expect((await outcome).failure).toBe("cancelled");
    await until(() => !isAlive(pid), "the tool is gone");
    expect((await run(id, "x", {}, AbortSignal.abort())).failure).toBe(
      "cancelled",
    );
  });

  test("that is cancelled stays so, though its CLI answers all the same", async () => {
    const id = await createAgent("pi");
    // Open for the user, so that its turn is stopped and its process is not.
    await agents.ask(id, "[[reply:hello]]");
    const cancel = new AbortController();
    const outcome = run(
      id,
      "[[reply:first words]][[late:an answer after the stop]]",
      { freshSession: false },
      cancel.signal,
    );
    await agents.untilWorking(id);
    cancel.abort();
    expect((await outcome).failure).toBe("cancelled");
    await agents.untilEntry(
      id,
      ({ text }) => text.includes("an answer after the stop"),
      "it answered",
    );
  });

  test("is cancelled by closing its agent", async () => {
    const id = await createAgent("practice");
    const outcome = run(id, "[[sleep:20000]][[reply:x]]");
    await agents.untilWorking(id);
    await agents.close(id);
    expect(await outcome).toMatchObject({ failure: "cancelled" });
  });

  test("is cancelled by closing its agent before the CLI has its prompt", async () => {
    const cli = new ScriptedCli({ isReadable: true });
    const own = new Runner();
    await using kernel = await AgentsKernel.start({
      clis: cli.clis,
      beside: [cli.plugin(), own.plugin],
    });
    const id = await own.createAgent("scripted");
    const outcome = own.run(id, "work");
    await until(() => cli.hasPrompt, "the prompt is written");
    await kernel.close(id);
    expect(await outcome).toMatchObject({ failure: "cancelled" });
    expect(await kernel.tasks(id)).toEqual([]);
    expect(await kernel.entries(id)).toEqual([]);
  });

  test.each([
    ["an agent that is gone", "agt_aaaaaaaaaaaaaaaaaaaaaaaa", "target-gone"],
  ])("%s is %s", async (_what, id, failure) => {
    expect((await run(id, "x")).failure).toBe(failure);
  });

  test("of a CLI that is not installed says so", async () => {
    const outcome = await run(await createAgent("gone"), "x");
    expect(outcome).toMatchObject({
      failure: "cli-missing",
      usage: { costUsd: null },
      sessionId: null,
    });
    expect(outcome.message).toContain("gone");
  });

  test("of a CLI that does not start says what it said", async () => {
    const outcome = await run(await createAgent("broken"), "x");
    expect(outcome.failure).toBe("agent-error");
    expect(outcome.message).toContain("cannot find my brain");
  });

  test.each([
    ["practice", "[[fail:quota exceeded]]", "quota exceeded"],
    ["practice", "[[cost:0.1]][[crash]]", "SIGKILL"],
    ["practice", "[[reply:half of it]][[crash]]", "SIGKILL"],
    ["practice", "[[reply:]]", "without an answer"],
    ["practice", "[[reply: \n ]]", "without an answer"],
    ["practice", "[[reply:let me see]][[run:true]][[reply: ]]", "without"],
    ["rough", "[[stop:end_turn]]", "without an answer"],
    ["rough", "[[reply:I will not]][[stop:refusal]]", "I will not"],
  ])("of %s with %s is no success", async (cli, prompt, words) => {
    const outcome = await run(await createAgent(cli), prompt);
    expect(outcome.failure).toBe("agent-error");
    expect(outcome.message).toContain(words);
  });

  test.each([
    ["rough", "[[reply:whole]][[total:-5]]", null],
    ["rough", "[[reply:whole]][[total:many]]", null],
    ["rough", "[[total:3]][[total:2]][[reply:whole]]", 5],
    ["pi", "[[cost:-1]][[reply:whole]]", undefined],
  ])(
    "of %s with %s is done, whatever its figures",
    async (cli, prompt, usd) => {
      const outcome = await run(await createAgent(cli), prompt);
      expect(outcome).toMatchObject({ failure: null, message: "whole" });
      if (usd !== undefined) expect(outcome.usage.costUsd).toBe(usd);
    },
  );

  test("keeps what it cost when its CLI crashes", async () => {
    expect(
      (await run(await createAgent("practice"), "[[cost:0.1]][[crash]]")).usage
        .costUsd,
    ).toBe(0.1);
  });

  test("whose CLI says nothing of cost has a cost that is unknown", async () => {
    expect(
      (await run(await createAgent("rough"), "[[reply:x]]")).usage.costUsd,
    ).toBeNull();
  });

  test("hears nothing that is said of another session", async () => {
    const outcome = await run(
      await createAgent("rough"),
      "[[foreign:You won]][[reply:mine]]",
      { maxCostUsd: 1 },
    );
    expect(outcome).toMatchObject({ failure: null, message: "mine" });
  });
});
