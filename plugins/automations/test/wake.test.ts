import { describe, expect, test } from "vitest";
import { createSlots } from "../src/schedule/slots.ts";
import { createScheduler } from "../src/schedule/scheduler.ts";
import { inShort } from "./support/instants.ts";
import { daily, startBench } from "./support/start.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("after a sleep, nothing fires before the machine was awake for 5 s", () => {
  const START = Date.parse("2026-03-02T12:00:00Z");

  function plan(times: Record<string, number>) {
    const clock = { wall: START, monotonic: 0 };
    const scheduler = createScheduler(createSlots(), { ...clock });
    for (const [id, nextSlotAt] of Object.entries(times)) {
      const time = new Date(nextSlotAt).toISOString().slice(11, 16);
      const none = { weekday: null, minute: null, cron: null };
      const appointment = {
        automationId: id,
        scheduleId: id,
        times: { frequency: "daily", time, timeZone: "UTC", ...none } as const,
        offsetMs: 0,
        nextSlotAt,
      };
      scheduler.plan(id, [appointment]);
    }
    scheduler.decide({ ...clock });
    const look = (wallMs: number, monotonicMs: number) => {
      clock.wall += wallMs;
      clock.monotonic += monotonicMs;
      const { firings, waitMs } = scheduler.decide({ ...clock });
      return {
        fired: firings.map(({ scheduleId, trigger }) => [scheduleId, trigger]),
        waitMs,
      };
    };
    return { scheduler, look, clock };
  }

  test("a slot that is claimed after a sleep that the daemon has not noticed yet is made up for", () => {
    const { scheduler, look, clock } = plan({ live: START + 1_000 });
    expect(look(SECOND, SECOND).fired).toEqual([["live", "schedule"]]);
    expect(scheduler.isMissed({ ...clock }, clock.wall)).toBe(false);
    clock.wall += HOUR;
    expect(scheduler.isMissed({ ...clock }, clock.wall - MINUTE)).toBe(true);
    expect(scheduler.isMissed({ ...clock }, clock.wall)).toBe(false);
  });

  test("what is on time by then goes before what was missed", () => {
    const { look } = plan({
      missed: START + HOUR,
      live: START + 8 * HOUR + MINUTE,
    });
    expect(look(8 * HOUR + MINUTE - SECOND, SECOND)).toEqual({
      fired: [],
      waitMs: 5 * SECOND,
    });
    expect(look(2 * SECOND, 2 * SECOND).fired).toEqual([]);
    expect(look(3 * SECOND, 3 * SECOND).fired).toEqual([
      ["live", "schedule"],
      ["missed", "catch-up"],
    ]);
  });

  test("a machine that wakes for moments fires nothing until it stays awake", () => {
    const { look } = plan({ missed: START + HOUR });
    expect(look(3 * HOUR, SECOND).fired).toEqual([]);
    for (let time = 0; time < 5; time++)
      expect(look(HOUR, 4 * SECOND).fired).toEqual([]);
    expect(look(5 * SECOND, 5 * SECOND).fired).toEqual([
      ["missed", "catch-up"],
    ]);
  });

  test("a clock that is set is taken for a sleep, and so is a process that is held", () => {
    const { look } = plan({ live: START + HOUR });
    expect(look(-HOUR, SECOND).fired).toEqual([]);
    expect(look(HOUR + SECOND, SECOND).fired).toEqual([]);
    expect(look(HOUR, HOUR).waitMs).toBe(5 * SECOND);
  });
});

test("at most 5 runs that make up for something go at once, and the next begins when one has ended", async () => {
  await using bench = await startBench({
    settings: { limits: { concurrentRuns: 64 } },
  });
  const ids: string[] = [];
  for (let count = 0; count < 8; count++)
    ids.push((await bench.create({ schedules: [daily("13:00")] })).id);
  const { clock } = bench.kernel;
  clock.jumpWall("2026-03-02T15:00:00.000Z");
  await clock.advance(5 * MINUTE);
  await bench.agents.started(4);
  expect(bench.agents.runs).toHaveLength(5);
  bench.agents.runs[2]!.finish();
  await bench.finished(1);
  await clock.advance(5 * SECOND);
  await bench.agents.started(5);
  await clock.advance(5 * MINUTE);
  expect(bench.agents.runs).toHaveLength(6);
  for (const run of bench.agents.runs) run.finish();
  await bench.finished(6);
  await clock.advance(30 * SECOND);
  await bench.agents.started(7);
  for (const run of bench.agents.runs) run.finish();
  for (const id of ids)
    expect(inShort(await bench.ended(id, 1))).toEqual([
      "catch-up 2026-03-02T13:00Z done",
    ]);
});

test("nothing is planned without a schedule, and one timer is enough for all", async () => {
  await using bench = await startBench();
  const idle = bench.kernel.clock.pending;
  const hourly = (minute: number) => ({
    frequency: "hourly",
    timeZone: "UTC",
    minute,
  });
  await bench.create();
  await bench.create({ enabled: false, schedules: [hourly(1)] });
  expect(bench.kernel.clock.pending).toBe(idle);
  for (let count = 0; count < 20; count++)
    await bench.create({ schedules: [hourly(count), daily("13:00")] });
  expect(bench.kernel.clock.pending).toBe(idle + 1);
});
