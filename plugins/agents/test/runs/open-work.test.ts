import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UnaskedTurnFinished } from "../../src/contract.ts";
import { AgentsKernel, standIn, type Clis } from "../help/agents-kernel.ts";
import {
  INIT,
  result,
  say,
  taskEnded,
  taskStarted,
  taskUpdated,
  toolResult,
  useTool,
} from "../help/claude-lines.ts";
import { Runner } from "../help/runner.ts";

const WAITING = "I will report when the tests are done.";
/** A turn that leaves a task running, whose end is reported once there is a file `go`. */
const BEGUN = [INIT, taskStarted("t1"), say(WAITING), result(WAITING)];
const REPORT = [
  INIT,
  say("12 passed"),
  result("12 passed", { total_cost_usd: 0.3 }),
];

const PLAYS = {
  reports: [...BEGUN, { until: "go" }, taskEnded("t1"), ...REPORT],
  fails: [...BEGUN, { until: "go" }, taskEnded("t1", "failed"), ...REPORT],
  // The end of the task comes before the first result.
  early: [
    ...[INIT, taskStarted("t1"), say(WAITING), taskEnded("t1")],
    ...[result(WAITING), ...REPORT],
  ],
  // What the model says after the end it was asked for before, and the notice has yet to come.
  overtaken: [
    ...[INIT, taskStarted("t1"), useTool("u1", "npm test"), toolResult("u1")],
    ...[taskUpdated("t1", "completed"), say(WAITING), result(WAITING)],
    ...[taskEnded("t1"), ...REPORT],
  ],
  // The end is told with the answer of a tool, and no turn follows.
  within: [
    ...[INIT, taskStarted("t1"), useTool("u1", "sleep 1")],
    ...[taskUpdated("t1", "completed"), toolResult("u1")],
    ...[say("12 passed"), result("12 passed")],
  ],
  // Two tasks, the second of which a sub-agent begins between the turns.
  two: [
    ...[INIT, taskStarted("t1"), say(WAITING), result(WAITING)],
    ...[taskStarted("t2", "lint"), { until: "go" }, taskEnded("t1")],
    ...[INIT, say("12 passed"), result("12 passed", { total_cost_usd: 0.2 })],
    ...[{ until: "more" }, taskEnded("t2"), INIT, say("No complaints")],
    result("No complaints", { total_cost_usd: 0.3 }),
  ],
  never: BEGUN,
  dies: [...BEGUN, { until: "go" }, { exit: 3 }],
  // It is reported as ended, and continues all the same.
  odd: [
    ...[INIT, taskStarted("t1"), say(WAITING)],
    { type: "system", subtype: "task_updated", task_id: "t1", patch: {} },
    { type: "system", subtype: "task_of_the_future", task_id: "t9" },
    { type: "system", subtype: "task_started" },
    ...[result(WAITING), { until: "go" }],
    { type: "system", subtype: "background_tasks_changed", tasks: [] },
    ...REPORT,
  ],
  // A tool call waits for one, and the other is no activity: both are over with the turn.
  foreground: [
    INIT,
    { ...taskStarted("t1"), is_backgrounded: false },
    { ...taskStarted("t2"), ambient: true },
    ...[say("12 passed"), result("12 passed")],
  ],
  moved: [
    INIT,
    { ...taskStarted("t1"), is_backgrounded: false },
    {
      ...{ type: "system", subtype: "task_updated", task_id: "t1" },
      patch: { is_backgrounded: true },
    },
    ...[say(WAITING), result(WAITING), { until: "go" }, taskEnded("t1")],
    ...REPORT,
  ],
  // A result without words and without a turn of the model comes first.
  empty: [
    ...[INIT, result("", { num_turns: 0, total_cost_usd: 0 }), { wait: 50 }],
    ...[INIT, say("The real answer"), result("The real answer")],
  ],
  // Words outside of turns, with a result and without one.
  stray: [INIT, say("a"), result("a"), { until: "go" }, say("And more.")],
  lone: [INIT, say("a"), result("a"), { until: "go" }, result("And more.")],
} as const;

const cliOf = (play: readonly object[]): Clis[string] =>
  standIn("played-claude", { FAKE_CLAUDE_PLAY: JSON.stringify([play]) });

let agents: AgentsKernel;
let runner: Runner;

beforeAll(async () => {
  runner = new Runner();
  agents = await AgentsKernel.start({
    clis: Object.fromEntries(
      Object.entries(PLAYS).map(([name, play]) => [name, cliOf(play)]),
    ),
    limits: { idleCloseMs: 1000, openAgents: 50 },
    beside: [runner.plugin],
  });
});
afterAll(() => agents.kernel.stop());

/** Lets the agent's CLI continue. */
async function letGo(id: string, file = "go"): Promise<void> {
  await writeFile(join((await agents.get(id)).cwd, file), "");
}

const untilWork = (id: string, count: number) =>
  agents.untilAgent(
    id,
    ({ openWork }) => openWork.length === count,
    `${count} tasks are running`,
  );

describe("a run", () => {
  test.each(["reports", "fails"])(
    "that leaves a task running waits for its report: %s",
    async (cli) => {
      const id = await runner.createAgent(cli);
      const run = runner.run(id, "go");
      const agent = await untilWork(id, 1);
      expect(agent).toMatchObject({
        activity: "working",
        openWork: [{ id: "t1", kind: "task", title: "npm test" }],
      });
      await letGo(id);
      expect(await run).toMatchObject({
        ...{ failure: null, message: "12 passed" },
        usage: { costUsd: 0.3 },
      });
      // Its turns are all of the run.
      const { runId } = (await agents.entries(id))[0]?.message ?? {};
      const signal = new AbortController().signal;
      const recalled = { runId: String(runId) };
      expect(await runner.service.recall(recalled, signal)).toMatchObject({
        usage: { costUsd: 0.3 },
      });
    },
  );

  test("whose task is over before the result waits for the report all the same", async () => {
    const outcome = await runner.run(await runner.createAgent("early"), "go");
    expect(outcome).toMatchObject({ failure: null, message: "12 passed" });
  });

  test("whose task is over while the model speaks waits for the report", async () => {
    const id = await runner.createAgent("overtaken");
    const outcome = await runner.run(id, "go");
    expect(outcome).toMatchObject({ failure: null, message: "12 passed" });
  });

  test("whose model has been told in its turn that a task is over waits for no other", async () => {
    const id = await runner.createAgent("within");
    const outcome = await runner.run(id, "go", { timeoutMs: 5000 });
    expect(outcome).toMatchObject({ failure: null, message: "12 passed" });
  });

  test("waits for tasks that begin between its turns, and gives the last report", async () => {
    const id = await runner.createAgent("two");
    const run = runner.run(id, "go");
    await untilWork(id, 2);
    await letGo(id);
    await untilWork(id, 1);
    await letGo(id, "more");
    expect(await run).toMatchObject({
      ...{ failure: null, message: "No complaints" },
      usage: { costUsd: 0.3 },
    });
  });

  test("is ended by its limit, which says what was still running", async () => {
    const id = await runner.createAgent("never");
    const outcome = await runner.run(id, "go", { timeoutMs: 1500 });
    expect(outcome.failure).toBe("timeout");
    expect(outcome.message).toBe(
      "The run took longer than 1.5 s and was stopped. 1 background task was still running: npm test.",
    );
    expect(await agents.get(id)).toMatchObject({ openWork: [] });
  });

  test("whose CLI dies at it has failed", async () => {
    const id = await runner.createAgent("dies");
    const run = runner.run(id, "go");
    await untilWork(id, 1);
    await letGo(id);
    const outcome = await run;
    expect(outcome.failure).toBe("agent-error");
    expect(outcome.message).toMatch(/code 3.* 1 background task .*npm test/);
  });

  test("does not wait for what is over with its turn", async () => {
    const id = await runner.createAgent("foreground");
    const outcome = await runner.run(id, "go", { timeoutMs: 5000 });
    expect(outcome).toMatchObject({ failure: null, message: "12 passed" });
  });

  test("waits for what was moved into the background", async () => {
    const id = await runner.createAgent("moved");
    const run = runner.run(id, "go");
    await untilWork(id, 1);
    await letGo(id);
    expect(await run).toMatchObject({ failure: null, message: "12 passed" });
  });

  test("takes lines that it does not know as they are", async () => {
    const id = await runner.createAgent("odd");
    const run = runner.run(id, "go");
    await untilWork(id, 1);
    await letGo(id);
    expect(await run).toMatchObject({ failure: null, message: "12 passed" });
  });

  test("is not over with a result that has neither words nor a turn", async () => {
    const outcome = await runner.run(await runner.createAgent("empty"), "go");
    expect(outcome).toMatchObject({
      failure: null,
      message: "The real answer",
    });
  });
});

describe("a chat", () => {
  test("is not closed while a task is running, takes messages, and has its report", async () => {
    const { id } = await agents.create({ cli: "reports" });
    const asked = agents.ask(id, "go");
    await untilWork(id, 1);
    await agents.untilEntry(id, ({ text }) => text === WAITING, "it waits");
    // Longer than an agent at rest is kept open.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await agents.get(id)).toMatchObject({
      ...{ state: "open", activity: "working" },
    });
    await letGo(id);
    const { body } = await asked;
    expect(body).toMatchObject({ answer: "12 passed", costUsd: 0.3 });
    await agents.untilIdle(id);
    const news = agents.kernel.events
      .all(UnaskedTurnFinished)
      .filter(({ subject }) => subject === id);
    expect(news.map(({ data }) => data)).toMatchObject([
      { answer: "12 passed", error: null, agentName: "Tester" },
    ]);
  });

  test("that does not answer within the timeout says what is running", async () => {
    const { id } = await agents.create({ cli: "never" });
    const { status, body } = await agents.ask(id, "go", 800);
    expect([status, body["code"]]).toEqual([409, "AGENT_STILL_WORKING"]);
    expect(body["detail"]).toContain("1 background task");
  });

  test("is stopped with its tasks", async () => {
    const { id } = await agents.create({ cli: "never" });
    const asked = agents.ask(id, "go");
    await agents.untilEntry(id, ({ text }) => text === WAITING, "it waits");
    await agents.untilAgent(
      id,
      ({ usage }) => usage.costUsd !== null,
      "it waits",
    );
    const stopped = await agents.kernel.api.post(`/api/agents/${id}/abort`);
    expect(stopped.body).toEqual({ aborted: true });
    expect((await asked).body.stopReason).toBe("cancelled");
    expect(await agents.untilIdle(id)).toMatchObject({ openWork: [] });
  });

  test("that is closed says what was lost", async () => {
    const { id } = await agents.create({ cli: "never" });
    await agents.prompt(id, "go");
    await untilWork(id, 1);
    await agents.untilAgent(
      id,
      ({ usage }) => usage.costUsd !== null,
      "it waits",
    );
    await agents.close(id);
    const words = "1 background task was still running: npm test.";
    await agents.untilEntry(id, ({ text }) => text === words, "it is said");
    expect(await agents.get(id)).toMatchObject({ openWork: [] });
  });

  test.each(["stray", "lone"])(
    "keeps what is said outside of turns, as a turn of its own: %s",
    async (cli) => {
      const { id } = await agents.create({ cli });
      expect((await agents.ask(id, "go")).body.answer).toBe("a");
      await letGo(id);
      const said = await agents.untilEntry(
        id,
        ({ text }) => text === "And more.",
        "it is there",
      );
      expect(said.turnId).not.toBeNull();
      await agents.untilIdle(id);
      const news = agents.kernel.events
        .all(UnaskedTurnFinished)
        .filter(({ subject }) => subject === id);
      expect(news.map(({ data }) => data.answer)).toEqual(["And more."]);
    },
  );
});
