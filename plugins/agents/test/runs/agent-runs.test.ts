import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin } from "@gantry/plugin";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  AgentRuns,
  DialogOpened,
  type AgentRunInput,
  type AgentRunOutcome,
} from "../../src/contract.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { isAlive, until } from "../help/wait.ts";

let agents: AgentsKernel;
let home: string;
let service: AgentRuns;

const user = definePlugin({
  id: "runner",
  api: 1,
  summary: "Runs agents, as automations do",
  mounts: [],
  needs: { runs: AgentRuns },
  setup: (ctx) => void (service = ctx.needs.runs),
});

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-runs-"));
  agents = await AgentsKernel.start({
    beside: [user],
    clis: {
      pi: standIn("fake-pi", { FAKE_PI_HOME: home }),
      rough: standIn("rough-acp"),
      stubborn: standIn("fake-pi", {
        FAKE_PI_HOME: home,
        FAKE_PI_STUBBORN: "1",
      }),
      broken: standIn("fake-pi", {
        FAKE_PI_HOME: home,
        FAKE_PI_REFUSE: "cannot find my brain",
      }),
      gone: { driver: "acp", command: "no-such-agent-anywhere" },
    },
    limits: { openAgents: 50, abortMs: 300 },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await rm(home, { recursive: true, force: true });
});

const never = new AbortController().signal;
let count = 0;

async function createAgent(cli: string): Promise<string> {
  count += 1;
  const input = {
    automationId: `aut_${count}`,
    name: `Run ${count}`,
    cli,
    model: null,
    cwd: null,
  };
  return (await service.createAgent(input, never)).agentId;
}

function run(
  agentId: string,
  prompt: string,
  more: Partial<AgentRunInput> = {},
  signal = never,
): Promise<AgentRunOutcome> {
  count += 1;
  const input: AgentRunInput = {
    agentId,
    runId: `run_${count}`,
    prompt,
    freshSession: true,
    maxCostUsd: null,
    timeoutMs: 20_000,
    permissions: { mode: "reject", tools: [] },
    ...more,
  };
  return service.run(input, signal);
}

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

  test("begins a fresh conversation each time, or goes on with the last", async () => {
    const id = await createAgent("practice");
    const first = await run(id, "[[reply:a]]");
    const second = await run(id, "[[recall]]");
    expect(second.message).not.toContain("reply:a");
    expect(second.sessionId).not.toBe(first.sessionId);
    const third = await run(id, "[[recall]]", { freshSession: false });
    expect(third.sessionId).toBe(second.sessionId);
    expect(third.message).toContain("[[recall]]");
  });

  test("counts the cost of a fresh conversation from 0", async () => {
    const id = await createAgent("practice");
    expect((await run(id, "[[cost:2]][[reply:a]]")).usage.costUsd).toBe(2);
    expect((await run(id, "[[cost:0.5]][[reply:b]]")).usage.costUsd).toBe(0.5);
    expect(
      (await run(id, "[[cost:0.25]][[reply:c]]", { freshSession: false })).usage
        .costUsd,
    ).toBe(0.25);
    const { body } = await agents.kernel.api.get<{
      items: { key: string; usage: { costUsd: number } }[];
    }>("/api/usage", { by: "automation" });
    const { automationId } = await agents.get(id);
    expect(
      body.items.find(({ key }) => key === automationId)?.usage.costUsd,
    ).toBe(2.75);
  });

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
    const start = performance.now();
    const outcome = await run(id, "[[reply:hm]][[hang]]", { timeoutMs: 500 });
    expect(outcome.failure).toBe("timeout");
    expect(performance.now() - start).toBeLessThan(10_000);
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

  test("is cancelled by closing its agent", async () => {
    const id = await createAgent("practice");
    const outcome = run(id, "[[sleep:20000]][[reply:x]]");
    await agents.untilWorking(id);
    await agents.close(id);
    expect(await outcome).toMatchObject({ failure: "cancelled" });
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
    ["practice", "[[reply:]]", "without an answer"],
    ["rough", "[[stop:end_turn]]", "without an answer"],
    ["rough", "[[reply:half]][[total:-5]]", "cannot be"],
    ["rough", "[[reply:half]][[total:many]]", "cannot be"],
    ["rough", "[[total:3]][[total:2]][[reply:cheap]]", "shrank"],
    ["pi", "[[cost:-1]][[reply:x]]", "cannot be"],
    ["rough", "[[reply:I will not]][[stop:refusal]]", "I will not"],
  ])("of %s with %s is no success", async (cli, prompt, words) => {
    const outcome = await run(await createAgent(cli), prompt);
    expect(outcome.failure).toBe("agent-error");
    expect(outcome.message).toContain(words);
  });

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

describe("a permission in a run", () => {
  test("is rejected, told of, and fails a run that ends without an answer", async () => {
    const id = await createAgent("practice");
    const outcome = await run(id, "[[ask:Delete all?]][[reply:deleted]]");
    expect(outcome).toMatchObject({
      failure: "permission-needed",
      permissionsAsked: ["Delete all?"],
    });
    expect(outcome.message).toContain("Delete all?");
    expect(
      agents.kernel.events
        .all(DialogOpened)
        .filter(({ subject }) => subject === id),
    ).toEqual([]);
    expect(await agents.entries(id)).toContainEqual(
      expect.objectContaining({
        kind: "dialog",
        dialog: expect.objectContaining({
          answer: expect.stringContaining("policy") as string,
        }) as object,
      }),
    );
  });

  test("that is rejected does not fail a run with an answer", async () => {
    const outcome = await run(await createAgent("rough"), "[[ask:rm -rf /]]");
    expect(outcome.failure).toBeNull();
    expect(outcome.message).toContain('"cancel"');
    expect(outcome.permissionsAsked).toEqual(["rm -rf /"]);
  });

  test("is allowed once for the tools that are named, never for longer", async () => {
    const permissions = { mode: "allow-once", tools: ["Execute"] } as const;
    const outcome = await run(await createAgent("rough"), "[[ask:ls]]", {
      permissions,
    });
    expect(outcome.message).toContain("proceed_once");
    const other = await run(await createAgent("rough"), "[[ask:ls]]", {
      permissions: { mode: "allow-once", tools: ["edit"] },
    });
    expect(other.message).toContain('"cancel"');
  });
});

describe("around runs", () => {
  test("what can be known before", async () => {
    const inspect = (agentId: string) => service.inspect({ agentId }, never);
    expect(await inspect("agt_aaaaaaaaaaaaaaaaaaaaaaaa")).toMatchObject({
      exists: false,
    });
    expect(await inspect(await createAgent("gone"))).toMatchObject({
      exists: true,
      cliInstalled: false,
    });
    const id = await createAgent("practice");
    expect(await inspect(id)).toEqual({
      exists: true,
      cliInstalled: true,
      busy: false,
      inTerminal: false,
      reportsCost: true,
    });
    expect(await inspect(await createAgent("rough"))).toMatchObject({
      reportsCost: false,
    });
    const outcome = run(id, "[[sleep:300]][[reply:x]]");
    await agents.untilWorking(id);
    expect((await inspect(id)).busy).toBe(true);
    await outcome;
    expect((await inspect(id)).busy).toBe(false);
  });

  test("an agent that is at work for the user is left alone", async () => {
    const id = await createAgent("practice");
    const asked = agents.ask(id, "[[sleep:300]][[reply:mine]]");
    await agents.untilWorking(id);
    expect(await run(id, "[[reply:theirs]]")).toMatchObject({
      failure: "agent-error",
    });
    expect((await asked).body.answer).toBe("mine");
  });

  test("one that is open and at rest is closed for a fresh run", async () => {
    const id = await createAgent("practice");
    await agents.ask(id, "[[reply:hello]]");
    expect(await run(id, "[[recall]]")).toMatchObject({ failure: null });
    expect((await agents.get(id)).state).toBe("closed");
  });

  test("a message joins an agent that is open, and it stays open", async () => {
    const id = await createAgent("practice");
    const asked = agents.ask(id, "[[sleep:200]][[reply:first]]");
    await agents.untilWorking(id);
    const outcome = await run(id, "[[ask:Sure?]][[reply:second]]", {
      freshSession: false,
    });
    expect(outcome).toMatchObject({ failure: "permission-needed" });
    expect((await asked).body.answer).toBe("first");
    expect((await agents.get(id)).state).toBe("open");
    await agents.close(id);
  });

  test("what the user says meanwhile waits, and is answered afterwards", async () => {
    const id = await createAgent("practice");
    const outcome = run(id, "[[sleep:300]][[reply:the run]]");
    await agents.untilWorking(id);
    expect(
      (await agents.kernel.api.post(`/api/agents/${id}/managed/start`)).body,
    ).toMatchObject({ code: "AGENT_RUNNING" });
    expect((await agents.prompt(id, "[[reply:the user]]")).delivery).toBe(
      "queued",
    );
    expect((await outcome).message).toBe("the run");
    await agents.untilEntry(
      id,
      ({ text }) => text === "the user",
      "the user is answered",
    );
    expect((await agents.get(id)).state).toBe("open");
    await agents.close(id);
  });

  test("the agent of an automation is renamed and re-aimed", async () => {
    const id = await createAgent("practice");
    const { automationId, cwd } = await agents.get(id);
    const input = {
      agentId: id,
      automationId: automationId ?? "",
      name: "Renamed",
      cli: null,
      model: null,
    };
    await service.updateAgent({ ...input, cwd: null }, never);
    expect(await agents.get(id)).toMatchObject({
      name: "Renamed",
      cwd,
      cli: "practice",
      automationId,
    });
    await service.updateAgent({ ...input, cli: "rough", cwd: home }, never);
    expect(await agents.get(id)).toMatchObject({ cli: "rough", cwd: home });
  });

  test("many runs of many agents do not get into each other's way", async () => {
    const ids = await Promise.all(
      Array.from({ length: 6 }, () => createAgent("practice")),
    );
    const outcomes = await Promise.all(
      ids.map((id, index) =>
        run(id, `[[long:20:2]][[run:true]][[reply:I am ${index}]]`),
      ),
    );
    expect(outcomes.map(({ message }) => message)).toEqual(
      ids.map((_, index) => `I am ${index}`),
    );
  });
});
