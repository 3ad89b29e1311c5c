import { describe, expect, test, vi } from "vitest";
import type { SpendingView } from "../src/wire/spending.ts";
import { startBench, daily } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

const read = async (bench: Bench) =>
  (await bench.kernel.api.get<SpendingView>("/api/automations/spending")).body;

const limit = (bench: Bench, body: object) =>
  bench.kernel.api.request<SpendingView & { code?: string }>(
    "PUT",
    "/api/automations/spending",
    { body },
  );

/** Runs an automation once to its end, at a cost. */
async function spend(
  bench: Bench,
  id: string,
  costUsd: number | null,
): Promise<void> {
  const index = bench.agents.runs.length;
  const before = (await bench.runs(id)).length;
  await bench.runNow(id);
  const usage = { inputTokens: 1, outputTokens: 1, costUsd };
  (await bench.agents.started(index)).finish({ usage });
  await bench.ended(id, before + 1);
}

describe("a limit on what all automations spend", () => {
  test("is read and set, and lives on", async () => {
    await using bench = await startBench();
    expect((await read(bench)).limits).toEqual({
      maxDailyUsd: null,
      maxWeeklyUsd: null,
    });
    const limits = { maxDailyUsd: 5, maxWeeklyUsd: 20 };
    expect(await limit(bench, limits)).toMatchObject({
      status: 200,
      body: { limits, day: { limitUsd: 5 }, week: { limitUsd: 20 } },
    });
    await bench.kernel.restart();
    expect((await read(bench)).limits).toEqual(limits);
  });

  test.each([
    [{ maxDailyUsd: 0, maxWeeklyUsd: null }],
    [{ maxDailyUsd: -1, maxWeeklyUsd: null }],
    [{ maxDailyUsd: "5", maxWeeklyUsd: null }],
    [{ maxDailyUsd: 1e308, maxWeeklyUsd: null }],
    [{ maxDailyUsd: 5 }],
    [{ maxDailyUsd: 5, maxWeeklyUsd: null, more: 1 }],
  ])("%j is none", async (body) => {
    await using bench = await startBench();
    expect((await limit(bench, body)).status).toBe(400);
    expect((await read(bench)).limits.maxDailyUsd).toBeNull();
  });

  test("gives a run what is left, whatever its own cap, and keeps others from it", async () => {
    await using bench = await startBench();
    await limit(bench, { maxDailyUsd: 3, maxWeeklyUsd: null });
    const small = await bench.create({ limits: { maxCostUsd: 1 } });
    const large = await bench.create({ limits: { maxCostUsd: 50 } });
    const free = await bench.create();
    await bench.runNow(small.id);
    await bench.runNow(large.id);
    expect((await bench.agents.started(0)).input.maxCostUsd).toBe(1);
    expect((await bench.agents.started(1)).input.maxCostUsd).toBe(2);
    expect((await read(bench)).day).toMatchObject({ promisedUsd: 3 });
    const refused = await bench.runNow(free.id);
    expect(refused).toMatchObject({ result: "skipped", reason: "cost-cap" });
    expect(refused.decision.at(-1)).toEqual({
      gate: "spend-limit",
      verdict: "refused",
      detail:
        "The rest of the 3 USD for a day is set aside for runs that are going.",
      figures: {
        spentInLastDayUsd: 0,
        maxPerDayUsd: 3,
        promisedUsd: 3,
        unknownRunsInLastDay: 0,
      },
    });
    const usage = { inputTokens: 1, outputTokens: 1, costUsd: 0.25 };
    bench.agents.runs[0]!.finish({ usage });
    bench.agents.runs[1]!.finish({ usage, failure: "cost-cap" });
    expect(await bench.ended(large.id, 1)).toMatchObject([
      { result: "failed", reason: "cost-cap", costUsd: 0.25 },
    ]);
    expect((await bench.runs(large.id))[0]!.decision.at(-1)!.detail).toBe(
      "Spending passed what the spend limits of all automations had left.",
    );
    await bench.ended(small.id, 1);
    await vi.waitFor(async () =>
      expect((await read(bench)).day).toEqual({
        limitUsd: 3,
        spentUsd: 0.5,
        promisedUsd: 0,
        unknownRuns: 0,
        state: "under",
      }),
    );
    await bench.runNow(free.id);
    expect((await bench.agents.started(2)).input.maxCostUsd).toBe(2.5);
  });

  test("lets nothing start when it is reached, until time has passed; a restart forgets nothing", async () => {
    await using bench = await startBench();
    await limit(bench, { maxDailyUsd: 2, maxWeeklyUsd: 3 });
    const { id } = await bench.create({ schedules: [daily("13:00")] });
    await spend(bench, id, 2.5);
    expect(await read(bench)).toMatchObject({
      day: { state: "over", spentUsd: 2.5 },
      week: { state: "under", spentUsd: 2.5 },
    });
    await bench.kernel.restart();
    await bench.kernel.clock.advance(2 * HOUR);
    expect(await bench.ended(id, 2)).toMatchObject([
      {
        trigger: "schedule",
        result: "skipped",
        reason: "cost-cap",
        decision: expect.arrayContaining([
          expect.objectContaining({
            gate: "spend-limit",
            detail:
              "All automations together have spent 2.5 of 2 USD within the last day.",
          }),
        ]),
      },
      {},
    ]);
    // The day is over, and of the week half a dollar is left.
    await bench.kernel.clock.advance(DAY);
    const run = await bench.agents.started(1);
    expect(run.input.maxCostUsd).toBe(0.5);
    run.finish({ usage: { inputTokens: 1, outputTokens: 1, costUsd: 0.6 } });
    expect((await bench.ended(id, 3))[0]).toMatchObject({ reason: "cost-cap" });
    expect((await read(bench)).week).toMatchObject({ state: "over" });
  });

  test("runs of unknown cost are reported, and count as nothing", async () => {
    await using bench = await startBench();
    await limit(bench, { maxDailyUsd: 2, maxWeeklyUsd: null });
    const { id } = await bench.create();
    await spend(bench, id, null);
    expect((await read(bench)).day).toMatchObject({
      state: "unknown",
      spentUsd: 0,
      unknownRuns: 1,
    });
    await spend(bench, id, 2);
    expect((await read(bench)).day).toMatchObject({ state: "over" });
  });

  test("what a deleted automation spent is not forgotten", async () => {
    await using bench = await startBench();
    const { id } = await bench.create();
    await spend(bench, id, 1.5);
    await bench.kernel.api.delete(`/api/automations/${id}`);
    await bench.kernel.restart();
    expect((await read(bench)).week).toMatchObject({ spentUsd: 1.5 });
    await bench.kernel.kernel.stop();
    await bench.kernel.clock.advance(8 * DAY);
    await bench.kernel.restart();
    await vi.waitFor(async () => {
      const { engine } = bench.kernel.kernel.foundation.core;
      expect(await engine.keys("automations:spent")).toEqual([]);
    });
  });
});

describe("the worst case", () => {
  const hourly = { frequency: "hourly", minute: 0, timeZone: "UTC" };
  const weekly = {
    frequency: "weekly",
    time: "09:00",
    weekday: 1,
    timeZone: "UTC",
  };
  const worst = async (bench: Bench, body: object) =>
    (
      await bench.kernel.api.post<{ worstCase: object }>(
        "/api/automations/preview",
        body,
      )
    ).body.worstCase;

  test("follows from rules and caps", async () => {
    await using bench = await startBench();
    const schedules = [hourly, weekly];
    expect(
      await worst(bench, { schedules, limits: { maxCostUsd: 2 } }),
    ).toEqual({
      runsPerDay: 25,
      runsPerWeek: 169,
      dayUsd: 50,
      weekUsd: 338,
    });
    const limits = { maxCostUsd: 2, maxRunsPerDay: 10, maxRunsPerWeek: 40 };
    expect(await worst(bench, { schedules, limits, webhook: true })).toEqual({
      runsPerDay: 10,
      runsPerWeek: 40,
      dayUsd: 20,
      weekUsd: 80,
    });
    expect(await worst(bench, { schedules: [], webhook: true })).toEqual({
      runsPerDay: null,
      runsPerWeek: null,
      dayUsd: null,
      weekUsd: null,
    });
    expect(await worst(bench, { schedules: [] })).toMatchObject({ weekUsd: 0 });
    expect(await worst(bench, { schedules })).toMatchObject({ dayUsd: null });
  });

  test("is added up over all that are on", async () => {
    await using bench = await startBench();
    const limits = { maxCostUsd: 1 };
    await bench.create({ schedules: [hourly], limits });
    const { id } = await bench.create({ schedules: [weekly], limits });
    await bench.create({ schedules: [hourly], limits, enabled: false });
    expect((await read(bench)).worstCase).toEqual({
      runsPerDay: 25,
      runsPerWeek: 169,
      dayUsd: 25,
      weekUsd: 169,
      unbounded: 0,
    });
    await bench.kernel.api.patch(`/api/automations/${id}`, { limits: {} });
    expect((await read(bench)).worstCase).toMatchObject({
      dayUsd: null,
      unbounded: 1,
    });
    await bench.kernel.api.delete(`/api/automations/${id}`);
    expect((await read(bench)).worstCase).toMatchObject({ dayUsd: 24 });
  });
});
