import { cases } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { RunFinished, RunStarted } from "../src/contract.ts";
import { inShort } from "./support/instants.ts";
import { daily, startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";
import type { AutomationView } from "../src/wire/automation.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const hourly = (minute: number, more: object = {}) => ({
  frequency: "hourly",
  minute,
  timeZone: "UTC",
  ...more,
});
const custom = (cron: string, timeZone = "UTC") => ({
  frequency: "custom",
  cron,
  timeZone,
});

/** A bench whose agents answer at once. */
async function startAnswering(startAt?: string): Promise<Bench> {
  const bench = await startBench({ startAt });
  bench.agents.answer = () => ({});
  return bench;
}

async function patch(
  bench: Bench,
  id: string,
  input: object,
): Promise<AutomationView> {
  const { body } = await bench.kernel.api.patch<{
    automation: AutomationView;
  }>(`/api/automations/${id}`, input);
  return body.automation;
}

describe("a schedule fires", () => {
  test("a fixed offset after each slot, exactly once a slot", async () => {
    await using bench = await startAnswering();
    const { id, schedules } = await bench.create({ schedules: [hourly(30)] });
    const { offsetMs, nextRunAt } = schedules[0]!;
    expect(Date.parse(nextRunAt!)).toBe(
      Date.parse("2026-03-02T12:30:00Z") + offsetMs,
    );
    await bench.kernel.clock.advanceTo(Date.parse(nextRunAt!) - 1);
    expect(await bench.runs(id)).toEqual([]);
    await bench.kernel.clock.advance(1);
    await bench.finished(1);
    await bench.kernel.clock.advance(3 * HOUR);
    await bench.finished(4);
    const runs = await bench.runs(id);
    expect(inShort(runs)).toEqual([
      "schedule 2026-03-02T12:30Z done",
      "schedule 2026-03-02T13:30Z done",
      "schedule 2026-03-02T14:30Z done",
      "schedule 2026-03-02T15:30Z done",
    ]);
    for (const { slotAt, firedAt } of runs)
      expect(Date.parse(firedAt) - Date.parse(slotAt!)).toBe(offsetMs);
    expect(runs[0]!.decision[0]).toMatchObject({
      gate: "enabled",
      figures: { trigger: "schedule", offsetMs, lateMs: 0 },
    });
  });

  test("and its automation shows the next and the last time", async () => {
    await using bench = await startAnswering();
    const { id, schedules } = await bench.create({
      schedules: [daily("13:00", { label: "Noon brief" }), daily("18:00")],
    });
    const [first, second] = schedules;
    expect(await bench.get(id)).toMatchObject({ nextRunAt: first!.nextRunAt });
    await bench.kernel.clock.advance(2 * HOUR);
    await bench.finished(1);
    const { lastRun, nextRunAt, schedules: after } = await bench.get(id);
    expect(nextRunAt).toBe(second!.nextRunAt);
    expect(after[0]).toMatchObject({
      lastFiredAt: first!.nextRunAt,
      armedAt: "2026-03-02T12:00:00.000Z",
    });
    expect(after[0]!.nextRunAt!.slice(0, 10)).toBe("2026-03-03");
    const [run] = await bench.runs(id);
    expect(lastRun).toMatchObject({
      id: run!.id,
      scheduleId: first!.id,
      scheduleLabel: "Noon brief",
      result: "done",
    });
    expect(bench.kernel.events.all(RunStarted)).toMatchObject([
      { subject: id, data: { runId: run!.id, trigger: "schedule" } },
    ]);
    expect(bench.kernel.events.all(RunFinished)).toMatchObject([
      {
        subject: id,
        data: {
          automationId: id,
          automationName: "Morning brief",
          runId: run!.id,
          result: "done",
          reason: null,
          trigger: "schedule",
          scheduleLabel: "Noon brief",
          costUsd: null,
          message: "All is well.",
          agentId: run!.agentId,
        },
      },
    ]);
  });

  test("under words of its own times if the user gave it no label", async () => {
    await using bench = await startAnswering();
    const { id } = await bench.create({
      schedules: [
        daily("12:10"),
        daily("12:20", { frequency: "weekdays" }),
        daily("12:30", { frequency: "weekly", weekday: 1 }),
        hourly(40),
        custom("50 12 * * *"),
      ],
    });
    await bench.kernel.clock.advance(HOUR);
    await bench.finished(5);
    const labels = (await bench.runs(id)).map((run) => run.scheduleLabel);
    expect(labels.toReversed()).toEqual([
      "Daily at 12:10",
      "Weekdays at 12:20",
      "Mondays at 12:30",
      "Hourly at :40",
      "Cron 50 12 * * *",
    ]);
  });

  test("not while it or its automation is off, and then records nothing", async () => {
    await using bench = await startAnswering();
    const off = await bench.create({
      enabled: false,
      schedules: [hourly(10)],
    });
    const ruleOff = await bench.create({
      schedules: [hourly(10, { enabled: false }), hourly(20)],
    });
    expect(off).toMatchObject({ nextRunAt: null });
    expect(off.schedules[0]!.nextRunAt).toBeNull();
    await bench.kernel.clock.advance(HOUR);
    await bench.finished(1);
    expect(await bench.runs(off.id)).toEqual([]);
    expect(inShort(await bench.runs(ruleOff.id))).toEqual([
      "schedule 2026-03-02T12:20Z done",
    ]);
  });

  test("on, it does not make up for the time when it was off", async () => {
    await using bench = await startAnswering();
    const { id, schedules } = await bench.create({ schedules: [hourly(10)] });
    await patch(bench, id, { enabled: false });
    await bench.kernel.clock.advance(2 * HOUR + 30 * MINUTE);
    const on = await patch(bench, id, { enabled: true });
    expect(on.schedules[0]).toMatchObject({
      id: schedules[0]!.id,
      armedAt: "2026-03-02T14:30:00.000Z",
    });
    await bench.kernel.clock.advance(HOUR);
    await bench.finished(1);
    expect(inShort(await bench.runs(id))).toEqual([
      "schedule 2026-03-02T15:10Z done",
    ]);
  });

  test("two in the same minute one after the other, the second skipped while the first goes", async () => {
    await using bench = await startBench();
    const { id } = await bench.create({
      // Another rule for the same times, in March.
      schedules: [daily("13:00"), custom("0 13 * 3 *")],
    });
    await bench.kernel.clock.advance(2 * HOUR);
    await bench.finished(1);
    expect(inShort(await bench.runs(id))).toEqual([
      "schedule 2026-03-02T13:00Z running",
      "schedule 2026-03-02T13:00Z skipped busy",
    ]);
    (await bench.agents.started(0)).finish();
    await bench.finished(2);
    bench.agents.answer = () => ({});
    await bench.kernel.clock.advance(DAY);
    await bench.finished(4);
    const both = (await bench.runs(id)).filter(({ slotAt }) =>
      slotAt!.startsWith("2026-03-03"),
    );
    expect(both.map(({ result }) => result)).toEqual(["done", "done"]);
  });
});

test("in an hour that clocks repeat, a rule for every hour runs twice and one for a time of day once", async () => {
  await using bench = await startBench({
    startAt: "2026-11-01T05:00:00.000Z",
  });
  bench.agents.answer = () => ({});
  const timeZone = "America/New_York";
  const hourly = await bench.create({
    schedules: [{ frequency: "hourly", minute: 30, timeZone }],
  });
  const once = await bench.create({
    schedules: [{ frequency: "daily", time: "01:30", timeZone }],
  });
  await bench.kernel.clock.advance(2 * HOUR);
  // 01:30 in summer time, and 01:30 in winter time.
  expect(inShort(await bench.ended(hourly.id, 2))).toEqual([
    "schedule 2026-11-01T05:30Z done",
    "schedule 2026-11-01T06:30Z done",
  ]);
  expect(inShort(await bench.ended(once.id, 1))).toEqual([
    "schedule 2026-11-01T05:30Z done",
  ]);
});

describe("the offset", () => {
  test("is below half the interval and below five minutes, and differs between schedules", async () => {
    await using bench = await startBench();
    const lines: [string, number][] = [
      ["* * * * *", 30_000],
      ["*/4 * * * *", 2 * MINUTE],
      ["0,1 9 * * *", 30_000],
      ["59 23,0 * * *", 5 * MINUTE],
      ["0 0 * * *", 5 * MINUTE],
      ["30 23 1 1 *", 5 * MINUTE],
    ];
    const offsets = new Set<number>();
    for (let round = 0; round < 10; round++) {
      const { schedules } = await bench.create({
        schedules: lines.map(([line]) => custom(line)),
      });
      for (const [index, { offsetMs }] of schedules.entries()) {
        expect(offsetMs).toBeLessThan(lines[index]![1]);
        offsets.add(offsetMs);
      }
    }
    expect(offsets.size).toBeGreaterThan(50);
  });

  test("stays through restarts, new names, other fields and new labels", async () => {
    await using bench = await startBench();
    const { id, schedules } = await bench.create({ schedules: [hourly(10)] });
    const { offsetMs } = schedules[0]!;
    for (let round = 0; round < 20; round++) await bench.kernel.restart();
    await patch(bench, id, { name: "Other", prompt: "Other." });
    const { schedules: after } = await patch(bench, id, {
      schedules: [{ ...schedules[0], label: "New" }],
    });
    expect(after[0]).toMatchObject({ offsetMs, label: "New" });
  });
});

describe("a changed time", () => {
  test("waits for its next slot and makes up for nothing", async () => {
    await using bench = await startAnswering();
    const { id, schedules } = await bench.create({
      schedules: [daily("12:30"), daily("15:00")],
    });
    // The slot of the new time has passed today, so it is for tomorrow.
    await bench.kernel.clock.advance(20 * MINUTE);
    const { schedules: after } = await patch(bench, id, {
      schedules: [{ ...schedules[0], time: "12:10" }, schedules[1]],
    });
    expect(after[0]).toMatchObject({
      id: schedules[0]!.id,
      armedAt: "2026-03-02T12:20:00.000Z",
    });
    expect(after[0]!.nextRunAt!.slice(0, 15)).toBe("2026-03-03T12:1");
    expect(after[1]).toEqual(schedules[1]);
    await bench.kernel.clock.advance(2 * HOUR);
    expect(await bench.runs(id)).toEqual([]);
    await bench.kernel.clock.advance(DAY);
    await bench.finished(2);
    expect(inShort(await bench.runs(id))).toEqual([
      "schedule 2026-03-02T15:00Z done",
      "schedule 2026-03-03T12:10Z done",
    ]);
  });

  test("after a restart too", async () => {
    await using bench = await startAnswering();
    const { id, schedules } = await bench.create({
      schedules: [daily("12:10")],
    });
    await bench.kernel.clock.advance(5 * MINUTE);
    await patch(bench, id, { schedules: [{ ...schedules[0], time: "12:04" }] });
    await bench.kernel.clock.advance(3 * HOUR);
    await bench.kernel.restart();
    await bench.kernel.clock.advance(3 * HOUR);
    expect(await bench.runs(id)).toEqual([]);
  });

  test("another zone is another time; the same times in other words are not", async () => {
    await using bench = await startAnswering();
    const { id, schedules } = await bench.create({
      schedules: [daily("13:00")],
    });
    await bench.kernel.clock.advance(10 * MINUTE);
    const { id: scheduleId } = schedules[0]!;
    const same = await patch(bench, id, {
      schedules: [{ id: scheduleId, ...custom("00 13 * * *") }],
    });
    expect(same.schedules[0]!.armedAt).toBe(schedules[0]!.armedAt);
    const other = await patch(bench, id, {
      schedules: [{ id: scheduleId, ...custom("0 13 * * *", "Europe/Berlin") }],
    });
    expect(other.schedules[0]!.armedAt).toBe("2026-03-02T12:10:00.000Z");
  });

  test("a schedule that is taken out fires no more, a new one from its creation on", async () => {
    await using bench = await startAnswering();
    const { id } = await bench.create({ schedules: [hourly(10)] });
    await bench.kernel.clock.advance(30 * MINUTE);
    await bench.finished(1);
    await patch(bench, id, { schedules: [hourly(5)] });
    await bench.kernel.clock.advance(HOUR);
    await bench.finished(2);
    expect(inShort(await bench.runs(id))).toEqual([
      "schedule 2026-03-02T12:10Z done",
      "schedule 2026-03-02T13:05Z done",
    ]);
  });
});

describe("when clocks change", () => {
  const CHANGES = [
    [
      "America/New_York",
      "2026-03-08T06:30:00Z",
      "30 2 * * *",
      ["2026-03-08T07:00Z", "2026-03-09T06:30Z"],
    ],
    [
      "America/Havana",
      "2026-03-08T04:30:00Z",
      "0 0 * * *",
      ["2026-03-08T05:00Z", "2026-03-09T04:00Z"],
    ],
    [
      "Australia/Lord_Howe",
      "2026-10-03T15:00:00Z",
      "15 2 * * *",
      ["2026-10-03T15:30Z", "2026-10-04T15:15Z"],
    ],
    [
      "America/New_York",
      "2026-11-01T05:00:00Z",
      "30 1 * * *",
      ["2026-11-01T05:30Z", "2026-11-02T06:30Z"],
    ],
    [
      "Pacific/Apia",
      "2011-12-30T09:30:00Z",
      "0 9 * * *",
      ["2011-12-30T10:00Z", "2011-12-30T19:00Z"],
    ],
  ] as const;
  test.each(cases(CHANGES))(
    "%s from %s, %s: once a day",
    async (zone, startAt, line, slots) => {
      await using bench = await startAnswering(startAt);
      const { id } = await bench.create({ schedules: [custom(line, zone)] });
      await bench.kernel.clock.advance(26 * HOUR);
      await bench.finished(2);
      expect(inShort(await bench.runs(id)).slice(0, 2)).toEqual(
        slots.map((slot) => `schedule ${slot} done`),
      );
    },
  );

  test("an hourly schedule keeps its pace, and its cap counts real time", async () => {
    await using bench = await startAnswering("2026-11-01T03:00:00Z");
    const { id } = await bench.create({
      schedules: [hourly(30, { timeZone: "America/New_York" })],
      limits: { maxRunsPerHour: 1 },
    });
    await bench.kernel.clock.advance(5 * HOUR);
    await bench.finished(5);
    expect(inShort(await bench.runs(id))).toEqual(
      ["03", "04", "05", "06", "07"].map(
        (hour) => `schedule 2026-11-01T${hour}:30Z done`,
      ),
    );
  });
});
