import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { GantryError } from "@gantry/plugin";
import { RunFinished, RunStarted } from "../src/contract.ts";
import { startBench } from "./support/start.ts";

const MINUTE = 60_000;

describe("a run by hand", () => {
  test("starts at once, also while the automation is off, and answers before it ends", async () => {
    await using bench = await startBench();
    const { id } = await bench.create({ enabled: false });
    const run = await bench.runNow(id);
    expect(run).toMatchObject({
      automationId: id,
      number: 1,
      trigger: "manual",
      scheduleId: null,
      scheduleLabel: null,
      slotAt: null,
      result: "running",
      startedAt: "2026-03-02T12:00:00.000Z",
      finishedAt: null,
    });
    expect(await bench.get(id)).toMatchObject({
      activeRunId: run.id,
      lastRun: { id: run.id, result: "running" },
    });
    expect(bench.kernel.events.all(RunStarted)).toMatchObject([
      { subject: id, data: { runId: run.id, trigger: "manual" } },
    ]);
    await bench.kernel.clock.advance(MINUTE);
    (await bench.agents.started(0)).finish({
      usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.25 },
    });
    const [ended] = await bench.ended(id, 1);
    expect(ended).toMatchObject({
      id: run.id,
      result: "done",
      reason: null,
      costUsd: 0.25,
      sessionId: "session-1",
      message: "All is well.",
      finishedAt: "2026-03-02T12:01:00.000Z",
    });
    expect(await bench.get(id)).toMatchObject({
      activeRunId: null,
      lastRun: { id: run.id, result: "done", costUsd: 0.25 },
    });
  });

  test("hands the agent what the automation says, in a fresh session", async () => {
    await using bench = await startBench();
    const { id, agentId } = await bench.create({
      prompt: "Look at {{cwd}}.",
      limits: { maxCostUsd: 1.5 },
      timeoutMs: 60_000,
      permissions: { mode: "allow-once", tools: ["read"] },
    });
    const run = await bench.runNow(id);
    expect((await bench.agents.started(0)).input).toEqual({
      agentId,
      runId: run.id,
      prompt: "Look at {{cwd}}.",
      freshSession: true,
      maxCostUsd: 1.5,
      timeoutMs: 60_000,
      permissions: { mode: "allow-once", tools: ["read"] },
    });
  });

  test("with a key is one run, however often it is asked for", async () => {
    await using bench = await startBench();
    const { id } = await bench.create();
    const again = () =>
      bench.kernel.api.post(
        `/api/automations/${id}/run`,
        {},
        { "idempotency-key": "k" },
      );
    const [first, second] = await Promise.all([again(), again()]);
    expect(second.body).toEqual(first.body);
    expect((await again()).body).toEqual(first.body);
    expect(await bench.runs(id)).toHaveLength(1);
  });

  test("takes no body but an empty object", async () => {
    await using bench = await startBench();
    const { id } = await bench.create();
    const path = `/api/automations/${id}/run`;
    expect((await bench.kernel.api.post(path, { now: true })).status).toBe(400);
    expect(await bench.runs(id)).toEqual([]);
  });
});

describe("a run ends as the agent ended it", () => {
  test.each([
    "cost-cap",
    "cli-missing",
    "timeout",
    "permission-needed",
    "agent-error",
    "target-gone",
    "trust-required",
    "cancelled",
  ] as const)("failed: %s", async (failure) => {
    await using bench = await startBench();
    bench.agents.answer = () => ({
      failure,
      message: "What is known.",
      usage: { inputTokens: null, outputTokens: null, costUsd: 0.5 },
    });
    const { id } = await bench.create();
    await bench.runNow(id);
    const [run] = await bench.ended(id, 1);
    expect(run).toMatchObject({
      result: "failed",
      reason: failure,
      message: "What is known.",
      costUsd: 0.5,
    });
    expect(run!.decision.at(-1)).toMatchObject({
      gate: "outcome",
      verdict: "refused",
      figures: { costUsd: 0.5 },
    });
    expect(bench.kernel.events.all(RunFinished)).toMatchObject([
      {
        subject: id,
        data: { result: "failed", reason: failure, costUsd: 0.5 },
      },
    ]);
  });

  test("done, with its answer and what it was refused", async () => {
    await using bench = await startBench();
    const asked = ["rm `-rf`\n /", ...Array.from({ length: 7 }, () => "push")];
    bench.agents.answer = () => ({
      message: "Nothing was deleted.",
      permissionsAsked: ["read", ...asked],
      permissionsRefused: asked,
    });
    const { id } = await bench.create();
    await bench.runNow(id);
    const told =
      "Nothing was deleted.\n\n*The policy of the automation refused: `rm -rf /`, `push`, `push`, `push`, `push`, 3 more.*";
    expect((await bench.ended(id, 1))[0]).toMatchObject({
      result: "done",
      message: told,
    });
    expect(bench.kernel.events.all(RunFinished)).toMatchObject([
      { data: { message: told } },
    ]);
  });

  test("done, with what it was refused also behind the longest answer", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({
      message: "é".repeat(100_000),
      permissionsAsked: ["push"],
      permissionsRefused: ["push"],
    });
    const { id } = await bench.create();
    await bench.runNow(id);
    const { message } = (await bench.ended(id, 1))[0]!;
    expect(message).toMatch(
      /^é+[^\n]*\n\n\*The policy .* refused: `push`\.\*$/,
    );
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(64 * 1024);
  });

  test("cost cap, if spending is only known when the answer has come", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({
      usage: { inputTokens: 1, outputTokens: 1, costUsd: 50 },
    });
    const { id } = await bench.create({ limits: { maxCostUsd: 0.1 } });
    await bench.runNow(id);
    expect((await bench.ended(id, 1))[0]).toMatchObject({
      result: "failed",
      reason: "cost-cap",
      costUsd: 50,
    });
  });

  test("done, whatever the cap, if the CLI reports no cost", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({});
    const { id } = await bench.create({ limits: { maxCostUsd: 0.1 } });
    await bench.runNow(id);
    expect((await bench.ended(id, 1))[0]).toMatchObject({
      result: "done",
      costUsd: null,
    });
  });

  test("agent error, with the words of an error that clients may see", async () => {
    await using bench = await startBench();
    const { id } = await bench.create();
    await bench.runNow(id);
    const definition = { status: 409, title: "No", detail: "" };
    (await bench.agents.started(0)).crash(
      new GantryError("AGENT_RUNNING", definition, "It is busy."),
    );
    expect((await bench.ended(id, 1))[0]).toMatchObject({
      result: "failed",
      reason: "agent-error",
      message: "It is busy.",
    });
  });

  test("agent error, without a word of a fault", async () => {
    await using bench = await startBench();
    bench.kernel.expectFault(/Run failed/);
    const { id } = await bench.create();
    await bench.runNow(id);
    (await bench.agents.started(0)).crash(new Error("secret path"));
    const [run] = await bench.ended(id, 1);
    expect(run).toMatchObject({ result: "failed", reason: "agent-error" });
    expect(JSON.stringify(run)).not.toContain("secret path");
  });

  test("a message is cut at 64 KiB, never within a character", async () => {
    await using bench = await startBench();
    bench.agents.answer = () => ({ message: `a${"€".repeat(40_000)}` });
    const { id } = await bench.create();
    await bench.runNow(id);
    const { message } = (await bench.ended(id, 1))[0]!;
    expect(Buffer.byteLength(message)).toBe(1 + 3 * 21_845);
    expect(message).toMatch(/^a€+$/);
    const [event] = bench.kernel.events.all(RunFinished);
    expect(event!.data.message).toBe(message);
  });

  test("timeout, even if the agent's process cannot be ended", async () => {
    await using bench = await startBench();
    bench.agents.deaf = true;
    const { id } = await bench.create({ timeoutMs: MINUTE });
    await bench.runNow(id);
    const run = await bench.agents.started(0);
    await bench.kernel.clock.advance(2 * MINUTE - 1);
    expect(run.signal.aborted).toBe(false);
    await bench.kernel.clock.advance(1);
    expect(run.signal.aborted).toBe(true);
    await bench.kernel.clock.advance(MINUTE);
    expect((await bench.ended(id, 1))[0]).toMatchObject({
      result: "failed",
      reason: "timeout",
    });
    expect(await bench.get(id)).toMatchObject({ activeRunId: null });
  });
});

describe("at most `concurrentRuns` runs are active", () => {
  test("the others wait for a place, in their order", async () => {
    await using bench = await startBench({
      settings: { limits: { concurrentRuns: 2 } },
    });
    const ids: string[] = [];
    for (const name of ["A", "B", "C", "D"])
      ids.push((await bench.create({ name })).id);
    const runs = [];
    for (const id of ids) runs.push(await bench.runNow(id));
    expect(runs.map((run) => run.startedAt !== null)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(runs[2]!.decision.at(-1)).toMatchObject({
      gate: "start",
      detail: "The run waits for a free place.",
      figures: { runsAtWork: 2, mostAtWork: 2 },
    });
    await bench.agents.started(1);
    await turn();
    expect(bench.agents.runs).toHaveLength(2);
    expect(bench.kernel.events.all(RunStarted)).toHaveLength(2);
    await bench.kernel.clock.advance(MINUTE);
    bench.agents.runs[1]!.finish();
    const third = await bench.agents.started(2);
    expect(third.input.runId).toBe(runs[2]!.id);
    expect((await bench.runs(ids[2]!))[0]).toMatchObject({
      result: "running",
      startedAt: "2026-03-02T12:01:00.000Z",
    });
    expect(bench.kernel.events.all(RunStarted)).toHaveLength(3);
    third.finish();
    const fourth = await bench.agents.started(3);
    fourth.finish();
    bench.agents.runs[0]!.finish();
    await bench.finished(4);
  });
});

test("only the newest runs are kept, and one that is going", async () => {
  await using bench = await startBench({
    settings: { limits: { runsKept: 3 } },
  });
  const { id } = await bench.create();
  await bench.runNow(id);
  const numbers = async () => (await bench.runs(id)).map((run) => run.number);
  for (let count = 0; count < 5; count++) await bench.runNow(id);
  expect(await numbers()).toEqual([6, 5, 4, 1]);
  (await bench.agents.started(0)).finish();
  await bench.ended(id, 4);
  expect(await bench.get(id)).toMatchObject({ activeRunId: null });
  bench.agents.answer = () => ({});
  const { number } = await bench.runNow(id);
  expect(number).toBe(7);
  await bench.ended(id, 3);
  expect(await numbers()).toEqual([7, 6, 5]);
  const { engine } = bench.kernel.kernel.foundation.core;
  expect(await engine.keys("automations:run:")).toHaveLength(3);
});

test("runs are paged, newest first, each with its number", async () => {
  await using bench = await startBench();
  bench.agents.answer = () => ({});
  const { id } = await bench.create();
  for (let count = 1; count <= 5; count++) {
    await bench.runNow(id);
    await bench.ended(id, count);
  }
  type List = { items: { number: number }[]; nextCursor: string | null };
  const path = `/api/automations/${id}/runs`;
  const numbers: number[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await bench.kernel.api.get<List>(path, {
      limit: 2,
      cursor,
    });
    numbers.push(...body.items.map(({ number }) => number));
    cursor = body.nextCursor ?? undefined;
  } while (cursor);
  expect(numbers).toEqual([5, 4, 3, 2, 1]);
  for (const query of [
    { limit: 0 },
    { limit: 501 },
    { cursor: "x" },
    { page: 1 },
  ])
    expect((await bench.kernel.api.get(path, query as never)).status).toBe(400);
});
