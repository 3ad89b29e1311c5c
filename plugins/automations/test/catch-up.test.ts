import { describe, expect, test } from "vitest";
import { AgentRuns } from "@gantry/plugin-agents/contract";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import plugin from "../src/index.ts";
import { RunFinished } from "../src/contract.ts";
import type { RunRecord } from "../src/wire/run.ts";
import type { ScheduleView } from "../src/wire/schedule.ts";
import { takeCrashImage } from "./support/crash-image.ts";
import { createFakeAgents } from "./support/fake-agents.ts";
import { inShort } from "./support/instants.ts";
import { daily, startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const everyMinute = { frequency: "custom", cron: "* * * * *", timeZone: "UTC" };

/** Starts the daemon again after a time in which it was down. */
async function restartAfter(bench: Bench, ms: number): Promise<void> {
  const { kernel } = bench.kernel;
  await kernel.stop();
  await bench.kernel.clock.advance(ms);
  await bench.kernel.restart();
}

async function startAnswering(startAt?: string): Promise<Bench> {
  const bench = await startBench({ startAt });
  bench.agents.answer = () => ({});
  return bench;
}

describe("after a time in which the daemon was down", () => {
  test("a schedule that missed slots runs once, for the last of them", async () => {
    await using bench = await startAnswering();
    const { id } = await bench.create({ schedules: [daily("13:00")] });
    await restartAfter(bench, 3 * DAY + 2 * HOUR);
    await bench.kernel.clock.advance(5 * SECOND);
    await bench.ended(id, 1);
    await bench.kernel.clock.advance(HOUR);
    const runs = await bench.runs(id);
    expect(inShort(runs)).toEqual(["catch-up 2026-03-05T13:00Z done"]);
    expect(runs[0]!.firedAt).toBe("2026-03-05T14:00:05.000Z");
    await bench.kernel.clock.advance(DAY);
    await bench.ended(id, 2);
    expect(inShort(await bench.runs(id))[1]).toBe(
      "schedule 2026-03-06T13:00Z done",
    );
  });

  test("several are made up for in the order of their slots, 5 s apart", async () => {
    await using bench = await startAnswering();
    const ids: string[] = [];
    for (const time of ["14:00", "13:00", "15:00"])
      ids.push((await bench.create({ schedules: [daily(time)] })).id);
    await restartAfter(bench, 5 * HOUR);
    await bench.kernel.clock.advance(20 * SECOND);
    const firedAt = [];
    for (const id of ids) firedAt.push((await bench.ended(id, 1))[0]!.firedAt);
    expect(firedAt).toEqual([
      "2026-03-02T17:00:10.000Z",
      "2026-03-02T17:00:05.000Z",
      "2026-03-02T17:00:15.000Z",
    ]);
  });

  test("two of one automation are two runs, the second skipped if the first still goes", async () => {
    await using bench = await startBench();
    const { id } = await bench.create({
      schedules: [daily("13:00"), daily("14:00")],
    });
    await restartAfter(bench, 5 * HOUR);
    await bench.kernel.clock.advance(MINUTE);
    expect(inShort(await bench.ended(id, 1))).toEqual([
      "catch-up 2026-03-02T13:00Z running",
      "catch-up 2026-03-02T14:00Z skipped busy",
    ]);
  });

  test("runs that make up for something leave a place to what is on time", async () => {
    await using bench = await startBench({
      settings: { limits: { concurrentRuns: 3 } },
    });
    for (let count = 0; count < 5; count++)
      await bench.create({ schedules: [daily("13:00")] });
    const { id } = await bench.create({ schedules: [daily("14:40")] });
    await restartAfter(bench, 2 * HOUR + 30 * MINUTE);
    await bench.kernel.clock.advance(MINUTE);
    // These runs take hours.
    expect(bench.agents.runs).toHaveLength(2);
    await bench.kernel.clock.advance(15 * MINUTE);
    expect((await bench.runs(id))[0]).toMatchObject({
      trigger: "schedule",
      startedAt: expect.any(String),
    });
    expect(bench.agents.runs).toHaveLength(3);
  });

  test("what is on time begins before what makes up for something, though that was queued first", async () => {
    await using bench = await startBench({
      settings: { limits: { concurrentRuns: 1 } },
    });
    const busy = await bench.create();
    const missed = await bench.create({ schedules: [daily("13:00")] });
    const onTime = await bench.create({ schedules: [daily("14:40")] });
    await restartAfter(bench, 2 * HOUR + 30 * MINUTE);
    await bench.runNow(busy.id);
    await bench.kernel.clock.advance(20 * MINUTE);
    expect((await bench.runs(missed.id))[0]).toMatchObject({
      trigger: "catch-up",
      startedAt: null,
    });
    expect((await bench.runs(onTime.id))[0]).toMatchObject({ startedAt: null });
    (await bench.agents.started(0)).finish();
    expect((await bench.agents.started(1)).input.agentId).toBe(onTime.agentId);
    // A restart does not change the order.
    bench.agents.answer = () => ({});
    await bench.kernel.restart();
    expect(await bench.ended(missed.id, 1)).toMatchObject([{ result: "done" }]);
  });

  test("a slot whose offset is not over is on time", async () => {
    await using bench = await startAnswering();
    const { id, schedules } = await bench.create({
      schedules: [daily("13:00")],
    });
    const due = Date.parse(schedules[0]!.nextRunAt!);
    await restartAfter(bench, due - 1 - bench.kernel.clock.now());
    await bench.kernel.clock.advance(1);
    expect(inShort(await bench.ended(id, 1))).toEqual([
      "schedule 2026-03-02T13:00Z done",
    ]);
  });

  test("nothing is made up for that was switched off, or set after the slot", async () => {
    await using bench = await startAnswering();
    const off = await bench.create({ schedules: [daily("13:00")] });
    await bench.kernel.api.patch(`/api/automations/${off.id}`, {
      enabled: false,
    });
    const late = await bench.create({ schedules: [daily("11:00")] });
    await restartAfter(bench, 10 * HOUR);
    await bench.kernel.clock.advance(MINUTE);
    expect(await bench.runs(off.id)).toEqual([]);
    expect(await bench.runs(late.id)).toEqual([]);
  });

  test("a schedule that waits for its turn still fires on time at its next slot, and that makes up for what it missed", async () => {
    await using bench = await startAnswering();
    const others: string[] = [];
    for (let count = 0; count < 20; count++)
      others.push((await bench.create({ schedules: [daily("13:00")] })).id);
    await restartAfter(bench, 2 * HOUR);
    const often = await bench.create({ schedules: [everyMinute] });
    // Its missed slots come after those of the others, so its turn would be the last, after 100 s.
    bench.kernel.clock.jumpWall("2026-03-02T14:10:40.000Z");
    await bench.kernel.clock.advance(70 * SECOND);
    const runs = await bench.ended(often.id, 1);
    expect(inShort(runs)[0]).toBe("schedule 2026-03-02T14:11Z done");
    await bench.kernel.clock.advance(2 * MINUTE);
    for (const { trigger } of await bench.runs(often.id))
      expect(trigger).toBe("schedule");
    for (const id of others)
      expect(inShort(await bench.ended(id, 1))).toEqual([
        "catch-up 2026-03-02T13:00Z done",
      ]);
  });

  test(
    "hundreds of missed schedules keep their order, and what is on time does not wait for them",
    { tags: "thorough" },
    async () => {
      await using bench = await startAnswering();
      const missed = Array.from({ length: 20 }, (_, hour) =>
        daily(`${String(hour).padStart(2, "0")}:30`),
      );
      for (let count = 0; count < 27; count++)
        await bench.create({ schedules: missed });
      const punctual = await bench.create({ schedules: [daily("12:00")] });
      const [{ offsetMs }] = punctual.schedules as [ScheduleView];
      await restartAfter(bench, DAY + offsetMs - 1);
      await bench.kernel.clock.advance(1);
      expect(inShort(await bench.ended(punctual.id, 1))).toEqual([
        "schedule 2026-03-03T12:00Z done",
      ]);
      await bench.kernel.clock.advance(MINUTE);
      await bench.finished(12);
      const made = bench.kernel.events.all(RunFinished);
      expect(made.map(({ data }) => data.scheduleLabel)).toEqual([
        "Daily at 12:00",
        ...Array<string>(12).fill("Daily at 12:30"),
      ]);
    },
  );

  test(
    "a week of every-minute schedules is made up for once each",
    { tags: "thorough" },
    async () => {
      await using bench = await startAnswering();
      const ids: string[] = [];
      for (let count = 0; count < 50; count++)
        ids.push((await bench.create({ schedules: [everyMinute] })).id);
      await bench.kernel.kernel.stop();
      await bench.kernel.clock.advance(7 * DAY);
      await bench.kernel.restart();
      // By then each of them had a slot of its own, which stands for the missed ones too.
      await bench.kernel.clock.advance(90 * SECOND);
      for (const id of ids) {
        const runs = await bench.ended(id, 1);
        expect(runs.length).toBeLessThanOrEqual(3);
        expect(new Set(runs.map(({ slotAt }) => slotAt)).size).toBe(
          runs.length,
        );
      }
    },
  );
});

describe("when the wall clock is set, or the machine sleeps", () => {
  test.each([
    ["a minute", MINUTE],
    ["an hour", HOUR],
    ["a day", DAY],
    ["40 days", 40 * DAY],
  ])(
    "forward by %s: what was missed runs once, within 35 s",
    async (_, jump) => {
      await using bench = await startAnswering("2026-03-02T12:59:00.000Z");
      const { id } = await bench.create({ schedules: [daily("13:00")] });
      const { clock } = bench.kernel;
      await clock.advance(10 * SECOND);
      // Past every offset, so that the slot of that day is among what was missed.
      clock.jumpWall(clock.now() + jump + 6 * MINUTE);
      await clock.advance(35 * SECOND);
      await bench.finished(1);
      // Sessions end in such a time too, so another one looks.
      const { client } = await bench.kernel.pairAs("Later");
      const { body } = await client.get<{ items: RunRecord[] }>(
        `/api/automations/${id}/runs`,
      );
      expect(body.items).toMatchObject([
        { trigger: "catch-up", result: "done" },
      ]);
      const [{ slotAt, firedAt }] = body.items as [RunRecord];
      expect(slotAt!.slice(10)).toBe("T13:00:00.000Z");
      expect(Date.parse(firedAt) - Date.parse(slotAt!)).toBeLessThan(DAY);
    },
  );

  test("sleep, which stops all clocks of the process, is detected by the wall clock", async () => {
    await using bench = await startAnswering("2026-03-02T22:00:00.000Z");
    const { id } = await bench.create({
      schedules: [daily("23:00"), daily("02:00"), daily("06:30")],
    });
    const { clock } = bench.kernel;
    clock.jumpWall("2026-03-03T06:00:00.000Z");
    await clock.advance(HOUR);
    expect(inShort(await bench.ended(id, 3))).toEqual([
      "catch-up 2026-03-02T23:00Z done",
      "catch-up 2026-03-03T02:00Z done",
      "schedule 2026-03-03T06:30Z done",
    ]);
  });

  test("back by an hour: no slot runs twice, and the next one runs in its time", async () => {
    await using bench = await startAnswering("2026-03-02T12:59:00.000Z");
    const { id } = await bench.create({
      schedules: [daily("13:00"), daily("14:30")],
    });
    const { clock } = bench.kernel;
    await clock.advance(10 * MINUTE);
    await bench.finished(1);
    clock.jumpWall(clock.now() - HOUR);
    await clock.advance(3 * HOUR);
    await bench.finished(2);
    expect(inShort(await bench.runs(id))).toEqual([
      "schedule 2026-03-02T13:00Z done",
      "schedule 2026-03-02T14:30Z done",
    ]);
  });

  test("back by years, after it was wrong: schedules continue", async () => {
    await using bench = await startAnswering("2030-01-01T12:00:00.000Z");
    const { id } = await bench.create({ schedules: [daily("13:00")] });
    const { clock } = bench.kernel;
    await clock.advance(2 * HOUR);
    await bench.finished(1);
    clock.jumpWall("2026-03-02T12:00:00.000Z");
    await clock.advance(2 * HOUR);
    await bench.finished(2);
    expect(inShort(await bench.runs(id))).toEqual([
      "schedule 2030-01-01T13:00Z done",
      "schedule 2026-03-02T13:00Z done",
    ]);
  });

  test("back by years while the daemon was down: schedules continue", async () => {
    await using bench = await startAnswering("2030-01-01T12:00:00.000Z");
    const { id } = await bench.create({ schedules: [daily("13:00")] });
    await bench.kernel.kernel.stop();
    bench.kernel.clock.jumpWall("2026-03-02T12:00:00.000Z");
    await bench.kernel.restart();
    await bench.kernel.clock.advance(2 * HOUR);
    await bench.finished(1);
    expect(inShort(await bench.runs(id))).toEqual([
      "schedule 2026-03-02T13:00Z done",
    ]);
  });
});

describe("a slot is claimed in the store before anything starts", () => {
  test("so a daemon that is killed while the run goes does not run it again", async () => {
    await using bench = await startBench();
    const { id } = await bench.create({ schedules: [daily("13:00")] });
    await bench.kernel.clock.advance(2 * HOUR);
    await bench.agents.started(0);
    const image = takeCrashImage(bench.kernel.home);
    const agents = createFakeAgents();
    agents.answer = () => ({});
    await using second = await startTestKernel(
      [provideFake(AgentRuns, agents.service), plugin],
      { home: image, startAt: "2026-03-02T14:00:00.000Z" },
    );
    const read = async () =>
      (
        await second.api.get<{ items: RunRecord[] }>(
          `/api/automations/${id}/runs`,
        )
      ).body.items;
    expect(inShort(await read())).toEqual([
      "schedule 2026-03-02T13:00Z failed daemon-restarted",
    ]);
    expect(second.events.all(RunFinished)).toHaveLength(0);
    const { body: log } = await second.api.get<{
      items: { type: string; data: object }[];
    }>("/api/events/log", { limit: 100 });
    const ends = log.items.filter(({ type }) => type === RunFinished.type);
    expect(ends).toMatchObject([
      { data: { result: "failed", reason: "daemon-restarted" } },
    ]);
    await second.restart();
    await second.clock.advance(DAY);
    await second.events.first(RunFinished);
    expect(inShort(await read())).toEqual([
      "schedule 2026-03-02T13:00Z failed daemon-restarted",
      "schedule 2026-03-03T13:00Z done",
    ]);
  });
});
