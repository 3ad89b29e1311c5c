import { describe, expect, test } from "vitest";
import { RunFinished, RunStarted } from "../src/contract.ts";
import type { SpendingView } from "../src/wire/spending.ts";
import { inShort } from "./support/instants.ts";
import { daily, startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const HOUR = 3_600_000;

/** Events of one type in the log. */
async function logged({ kernel }: Bench, wanted: string): Promise<object[]> {
  const { body } = await kernel.api.get<{ items: { type: string }[] }>(
    "/api/events/log",
    { limit: 500 },
  );
  return body.items.filter(({ type }) => type === wanted);
}

describe("a daemon that restarts in the middle of a run", () => {
  test("ends it as daemon restarted, once, and the next one starts fresh", async () => {
    await using bench = await startBench();
    const { id } = await bench.create({ schedules: [daily("13:00")] });
    await bench.kernel.clock.advance(2 * HOUR);
    const going = await bench.agents.started(0);
    await bench.kernel.restart();
    expect(going.signal.aborted).toBe(true);
    await bench.kernel.restart();
    const [run] = await bench.runs(id);
    expect(run).toMatchObject({ result: "failed", reason: "daemon-restarted" });
    expect(run!.decision.filter(({ gate }) => gate === "outcome")).toHaveLength(
      1,
    );
    expect(await bench.get(id)).toMatchObject({
      activeRunId: null,
      lastRun: { result: "failed", reason: "daemon-restarted" },
    });
    expect(await logged(bench, RunFinished.type)).toHaveLength(1);
    bench.agents.answer = () => ({});
    await bench.kernel.clock.advance(24 * HOUR);
    expect(inShort(await bench.ended(id, 2))).toEqual([
      "schedule 2026-03-02T13:00Z failed daemon-restarted",
      "schedule 2026-03-03T13:00Z done",
    ]);
  });

  test("runs what was queued and had not begun, in order, once, and as it was accepted", async () => {
    await using bench = await startBench({
      settings: { limits: { concurrentRuns: 1 } },
    });
    const first = await bench.create({ name: "First" });
    const { automation: second, secret } = await bench.createHook({
      name: "Second",
      limits: { maxCostUsd: 2 },
    });
    const third = await bench.create({ name: "Third", timeoutMs: 60_000 });
    await bench.runNow(first.id);
    const body = new TextEncoder().encode("Payload of the call.");
    const fired = await bench.fire(second.id, secret, body);
    expect(fired.status).toBe(200);
    await bench.runNow(third.id);
    await bench.kernel.api.patch(`/api/automations/${third.id}`, {
      prompt: "Written after the run was accepted.",
    });
    await bench.kernel.restart();
    expect((await bench.runs(first.id))[0]).toMatchObject({
      result: "failed",
      reason: "daemon-restarted",
    });
    expect(await bench.get(third.id)).toMatchObject({
      activeRunId: expect.any(String),
    });
    expect(await bench.runNow(third.id)).toMatchObject({
      result: "skipped",
      reason: "busy",
    });

    const next = await bench.agents.started(1);
    expect(next.input).toMatchObject({
      runId: fired.body.run.id,
      agentId: second.agentId,
      maxCostUsd: 2,
    });
    expect(next.input.prompt).toContain("Payload of the call.");
    next.finish();
    const last = await bench.agents.started(2);
    expect(last.input).toMatchObject({
      agentId: third.agentId,
      prompt: "Say what is new.",
      timeoutMs: 60_000,
    });
    last.finish();
    for (const { id } of [second, third])
      expect((await bench.ended(id, 1)).at(-1)).toMatchObject({
        result: "done",
        startedAt: expect.any(String),
      });
    await bench.kernel.restart();
    expect(bench.agents.runs).toHaveLength(3);
    expect(await logged(bench, RunStarted.type)).toHaveLength(3);
    const { engine } = bench.kernel.kernel.foundation.core;
    expect(await engine.keys("automations:queued-run:")).toEqual([]);
  });

  test("sets aside again what a queued run was granted of the spend limits", async () => {
    await using bench = await startBench({
      settings: { limits: { concurrentRuns: 1 } },
    });
    const { api } = bench.kernel;
    const first = await bench.create();
    const second = await bench.create({ limits: { maxCostUsd: 3 } });
    const path = "/api/automations/spending";
    const body = { maxDailyUsd: 5, maxWeeklyUsd: null };
    await api.request("PUT", path, { body });
    await bench.runNow(second.id);
    (await bench.agents.started(0)).finish();
    await bench.ended(second.id, 1);
    await bench.kernel.api.patch(`/api/automations/${first.id}`, {
      limits: { maxCostUsd: 1 },
    });
    await bench.runNow(first.id);
    await bench.runNow(second.id);
    await bench.kernel.restart();
    await bench.agents.started(2);
    expect((await api.get<SpendingView>(path)).body.day).toMatchObject({
      promisedUsd: 3,
    });
  });

  test("keeps an answer that came before it stopped", async () => {
    await using bench = await startBench();
    const { id } = await bench.create();
    await bench.runNow(id);
    (await bench.agents.started(0)).finish();
    await bench.kernel.restart();
    expect((await bench.runs(id))[0]).toMatchObject({ result: "done" });
  });
});

test("a slot whose run could not be written, on a full disk for example, is tried again and runs once", async () => {
  await using bench = await startBench();
  bench.agents.answer = () => ({});
  const { id, schedules } = await bench.create({ schedules: [daily("13:00")] });
  const { engine } = bench.kernel.kernel.foundation.core;
  const { commit } = engine;
  let refused = 0;
  engine.commit = (...batch) => {
    if (!batch[0].some(({ key }) => key.includes(":run:")))
      return commit(...batch);
    refused++;
    return Promise.reject(new Error("No space left."));
  };
  await bench.kernel.clock.advanceTo(schedules[0]!.nextRunAt!);
  await bench.kernel.clock.advance(70_000);
  // At once, after 5 s, after 15 s and after 35 s: it does not spin.
  expect(refused).toBe(4);
  expect(await bench.runs(id)).toEqual([]);
  expect(bench.agents.runs).toEqual([]);
  engine.commit = commit;
  await bench.kernel.clock.advance(30_000);
  expect(inShort(await bench.ended(id, 1))).toEqual([
    "schedule 2026-03-02T13:00Z done",
  ]);
  await bench.kernel.clock.advance(HOUR);
  expect(await bench.runs(id)).toHaveLength(1);
});
