import { describe, expect, test } from "vitest";
import { RunFinished, RunStarted } from "../src/contract.ts";
import { refusal } from "./support/fake-agents.ts";
import { daily, startBench } from "./support/start.ts";

const HOUR = 3_600_000;

describe("the gates refuse in their order, and say why", () => {
  test("busy: the previous run is still going", async () => {
    await using bench = await startBench();
    const { id } = await bench.create();
    const first = await bench.runNow(id);
    const second = await bench.runNow(id);
    expect(second).toMatchObject({
      result: "skipped",
      reason: "busy",
      startedAt: null,
      finishedAt: "2026-03-02T12:00:00.000Z",
      decision: [
        { gate: "enabled", verdict: "passed" },
        {
          gate: "busy",
          verdict: "refused",
          figures: { activeRunId: first.id },
        },
      ],
    });
    expect(await bench.get(id)).toMatchObject({ activeRunId: first.id });
    (await bench.agents.started(0)).finish();
    await bench.ended(id, 2);
    // The run that ended late does not pass for the last one.
    expect(await bench.get(id)).toMatchObject({
      activeRunId: null,
      lastRun: { id: second.id },
    });
  });

  test("busy: the agent is running something else", async () => {
    await using bench = await startBench();
    bench.agents.facts.busy = true;
    const { id } = await bench.create();
    expect(await bench.runNow(id)).toMatchObject({
      result: "skipped",
      reason: "busy",
      decision: [{}, {}, {}, { gate: "target", verdict: "refused" }],
    });
  });

  test("agent in terminal", async () => {
    await using bench = await startBench();
    bench.agents.facts.inTerminal = true;
    const { id } = await bench.create();
    expect(await bench.runNow(id)).toMatchObject({
      result: "skipped",
      reason: "agent-in-terminal",
    });
  });

  test("the first of several that would refuse decides, and no later one is asked", async () => {
    await using bench = await startBench();
    const { id } = await bench.create({ limits: { maxRunsPerDay: 1 } });
    await bench.runNow(id);
    const { facts } = bench.agents;
    Object.assign(facts, { inTerminal: true, busy: true, cliInstalled: false });
    const lastGate = async () => {
      const { reason, decision } = await bench.runNow(id);
      const { gate, verdict } = decision.at(-1)!;
      return `${decision.length} ${gate} ${verdict}: ${reason}`;
    };
    expect(await lastGate()).toBe("2 busy refused: busy");
    (await bench.agents.started(0)).finish();
    await bench.ended(id, 2);
    expect(await lastGate()).toBe("3 rate-cap refused: rate-cap");
    await bench.kernel.api.patch(`/api/automations/${id}`, { limits: {} });
    expect(await lastGate()).toBe("4 target refused: agent-in-terminal");
    facts.inTerminal = false;
    expect(await lastGate()).toBe("4 target refused: busy");
    facts.busy = false;
    expect(await lastGate()).toBe("5 cli-missing refused: cli-missing");
    facts.cliInstalled = true;
    expect(await lastGate()).toBe("6 start passed: null");
  });

  test("a run by hand and a slot at one moment: one runs, the other is busy, and the slot is done with", async () => {
    await using bench = await startBench();
    const { id, nextRunAt } = await bench.create({
      schedules: [daily("13:00")],
    });
    const { clock } = bench.kernel;
    await clock.advanceTo(Date.parse(nextRunAt!) - 1);
    await Promise.all([clock.advance(1), bench.runNow(id)]);
    await bench.ended(id, 1);
    const runs = await bench.runs(id);
    expect(runs.map(({ trigger }) => trigger).sort()).toEqual([
      "manual",
      "schedule",
    ]);
    expect(runs.map(({ result }) => result)).toEqual(["skipped", "running"]);
    (await bench.agents.started(0)).finish();
    await bench.ended(id, 2);
    await clock.advance(HOUR);
    expect(await bench.runs(id)).toHaveLength(2);
  });

  test("CLI missing: failed, and reported as such", async () => {
    await using bench = await startBench();
    bench.agents.facts.cliInstalled = false;
    const { id } = await bench.create({ cli: "pi" });
    const run = await bench.runNow(id);
    expect(run).toMatchObject({
      result: "failed",
      reason: "cli-missing",
      startedAt: null,
      message: "pi is not installed, or not on the PATH of the daemon.",
    });
    expect(
      run.decision.map(({ gate, verdict }) => `${gate} ${verdict}`),
    ).toEqual([
      "enabled passed",
      "busy passed",
      "rate-cap passed",
      "target passed",
      "cli-missing refused",
    ]);
    expect(bench.kernel.events.all(RunFinished)).toMatchObject([
      { data: { result: "failed", reason: "cli-missing", runId: run.id } },
    ]);
    expect(bench.kernel.events.all(RunStarted)).toEqual([]);
  });

  test("a deleted agent is replaced by a new one, and the automation continues", async () => {
    await using bench = await startBench();
    const automation = await bench.create({ cli: "pi", workspace: "/work/a" });
    bench.agents.gone.add(automation.agentId!);
    await bench.kernel.api.patch(`/api/automations/${automation.id}`, {
      name: "New",
    });
    const run = await bench.runNow(automation.id);
    expect(run).toMatchObject({ result: "running" });
    expect(run.agentId).not.toBe(automation.agentId);
    expect(await bench.get(automation.id)).toMatchObject({
      agentId: run.agentId,
    });
    expect(bench.agents.made[1]).toMatchObject({
      automationId: automation.id,
      name: "New",
      cli: "pi",
      cwd: "/work/a",
    });
  });

  test("target gone: a deleted agent cannot be replaced", async () => {
    await using bench = await startBench();
    const { id, agentId } = await bench.create();
    bench.agents.gone.add(agentId!);
    bench.agents.refusal = refusal("AGENT_FOLDER_INVALID");
    expect(await bench.runNow(id)).toMatchObject({
      result: "failed",
      reason: "target-gone",
    });
  });
});

describe("caps on runs", () => {
  test.each([
    ["maxRunsPerHour", HOUR],
    ["maxRunsPerDay", 24 * HOUR],
    ["maxRunsPerWeek", 7 * 24 * HOUR],
  ])("%s counts in a window that slides", async (field, window) => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { id } = await bench.create({ limits: { [field]: 2 } });
    const { clock } = bench.kernel;
    const runOnce = async () => {
      const run = await bench.runNow(id);
      await bench.ended(id, run.number);
      return run.reason ?? "started";
    };
    expect(await runOnce()).toBe("started");
    // Weeks of nothing need not be lived through.
    clock.jumpWall(clock.now() + window / 2);
    expect(await runOnce()).toBe("started");
    expect(await runOnce()).toBe("rate-cap");
    clock.jumpWall(clock.now() + window / 2 - 1);
    expect(await runOnce()).toBe("rate-cap");
    await clock.advance(1);
    expect(await runOnce()).toBe("started");
    expect(await runOnce()).toBe("rate-cap");
  });

  test("say what was counted", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { id } = await bench.create({
      limits: { maxRunsPerHour: 1, maxRunsPerWeek: 5 },
    });
    const first = await bench.runNow(id);
    await bench.ended(id, 1);
    expect(first.decision[2]).toMatchObject({
      gate: "rate-cap",
      verdict: "passed",
      figures: {
        runsInLastHour: 0,
        maxRunsPerHour: 1,
        runsInLastWeek: 0,
        maxRunsPerWeek: 5,
      },
    });
    expect(await bench.runNow(id)).toMatchObject({
      result: "skipped",
      reason: "rate-cap",
      decision: [
        {},
        {},
        {
          gate: "rate-cap",
          verdict: "refused",
          detail: "1 of at most 1 runs began within the last hour.",
          figures: { runsInLastHour: 1, runsInLastWeek: 1 },
        },
      ],
    });
  });

  test("count runs that started, whatever their result, and no others", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({ failure: "agent-error", message: "No." });
    const { id } = await bench.create({ limits: { maxRunsPerHour: 1 } });
    bench.agents.facts.cliInstalled = false;
    await bench.runNow(id);
    bench.agents.facts.cliInstalled = true;
    expect(await bench.runNow(id)).toMatchObject({ result: "running" });
    await bench.ended(id, 2);
    expect(await bench.runNow(id)).toMatchObject({ reason: "rate-cap" });
  });

  test("hold through a restart, and count a run that it ended once", async () => {
    await using bench = await startBench();
    const { id } = await bench.create({ limits: { maxRunsPerHour: 2 } });
    await bench.runNow(id);
    await bench.agents.started(0);
    await bench.kernel.restart();
    bench.agents.answer = () => ({});
    expect(await bench.runNow(id)).toMatchObject({ result: "running" });
    await bench.ended(id, 2);
    expect(await bench.runNow(id)).toMatchObject({ reason: "rate-cap" });
  });

  test("a cap that is taken away, or raised, counts at once", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { id } = await bench.create({ limits: { maxRunsPerDay: 1 } });
    await bench.runNow(id);
    await bench.ended(id, 1);
    const path = `/api/automations/${id}`;
    await bench.kernel.api.patch(path, { limits: { maxRunsPerDay: 2 } });
    expect(await bench.runNow(id)).toMatchObject({ result: "running" });
    await bench.ended(id, 2);
    expect(await bench.runNow(id)).toMatchObject({ reason: "rate-cap" });
    await bench.kernel.api.patch(path, { limits: {} });
    expect(await bench.runNow(id)).toMatchObject({ result: "running" });
  });

  test("a clock that was years ahead does not keep them closed", async () => {
    await using bench = await startBench({
      startAt: "2030-01-01T12:00:00.000Z",
    });
    bench.agents.answer = () => ({});
    const { id } = await bench.create({ limits: { maxRunsPerHour: 1 } });
    await bench.runNow(id);
    await bench.ended(id, 1);
    bench.kernel.clock.jumpWall("2026-03-02T12:00:00.000Z");
    expect(await bench.runNow(id)).toMatchObject({ result: "running" });
    await bench.ended(id, 2);
    expect(await bench.runNow(id)).toMatchObject({ reason: "rate-cap" });
  });
});
