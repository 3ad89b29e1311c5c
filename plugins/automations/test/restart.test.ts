import { describe, expect, test } from "vitest";
import { RunFinished } from "../src/contract.ts";
import { inShort } from "./support/instants.ts";
import { daily, startBench } from "./support/start.ts";

const HOUR = 3_600_000;

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
    type Log = { items: { type: string; data: object }[] };
    const { body } = await bench.kernel.api.get<Log>("/api/events/log", {
      limit: 500,
    });
    expect(
      body.items.filter(({ type }) => type === RunFinished.type),
    ).toHaveLength(1);
    bench.agents.answer = () => ({});
    await bench.kernel.clock.advance(24 * HOUR);
    expect(inShort(await bench.ended(id, 2))).toEqual([
      "schedule 2026-03-02T13:00Z failed daemon-restarted",
      "schedule 2026-03-03T13:00Z done",
    ]);
  });

  test("also if the run waited for a place", async () => {
    await using bench = await startBench({
      settings: { limits: { concurrentRuns: 1 } },
    });
    const first = await bench.create({ name: "First" });
    const second = await bench.create({ name: "Second" });
    await bench.runNow(first.id);
    await bench.runNow(second.id);
    await bench.kernel.restart();
    expect((await bench.runs(second.id))[0]).toMatchObject({
      result: "failed",
      reason: "daemon-restarted",
      startedAt: null,
    });
    expect(bench.agents.runs).toHaveLength(1);
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
  engine.commit = (operations) => {
    if (!operations.some(({ key }) => key.includes(":run:")))
      return commit(operations);
    refused++;
    return Promise.reject(new Error("No space left."));
  };
  await bench.kernel.clock.advanceTo(schedules[0]!.nextRunAt!);
  await bench.kernel.clock.advance(70_000);
  // At once, after 30 s and after a minute: it does not spin.
  expect(refused).toBe(3);
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
