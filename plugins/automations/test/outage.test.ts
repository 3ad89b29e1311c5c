import { cases } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { inShort } from "./support/instants.ts";
import { daily, startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lets every read and write of the store fail. Returns what ends the outage. */
function breakStore({ kernel }: Bench): () => void {
  // Jobs of the kernel fail, too.
  kernel.expectFault(/The store does not answer/);
  const { engine } = kernel.kernel.foundation.core;
  const { get, scan, keys, commit } = engine;
  const fail = () => Promise.reject(new Error("The store does not answer."));
  Object.assign(engine, { get: fail, scan: fail, keys: fail, commit: fail });
  return () => void Object.assign(engine, { get, scan, keys, commit });
}

const findings = async ({ kernel }: Bench) =>
  (
    await kernel.api.get<{ findings: { code: string; what: string }[] }>(
      "/api/doctor",
    )
  ).body.findings.filter(({ code }) => code.startsWith("AUTOMATION"));

describe("an outage of the store", () => {
  test.each(cases([10 * MINUTE, 10 * SECOND, 100 * SECOND, 3 * HOUR]))(
    "of %d ms when a schedule is due puts its run off, and ends no schedule",
    async (length) => {
      await using bench = await startBench();
      bench.agents.answer = () => ({});
      const { clock } = bench.kernel;
      const { id, nextRunAt } = await bench.create({
        schedules: [daily("13:00")],
      });
      await clock.advanceTo(Date.parse(nextRunAt!) - SECOND);
      const repair = breakStore(bench);
      await clock.advance(length);
      repair();
      await clock.advance(5 * MINUTE);
      expect(inShort(await bench.ended(id, 1))).toEqual([
        "schedule 2026-03-02T13:00Z done",
      ]);
      await clock.advance(DAY);
      expect(inShort(await bench.ended(id, 2))).toEqual([
        "schedule 2026-03-02T13:00Z done",
        "schedule 2026-03-03T13:00Z done",
      ]);
      expect(await findings(bench)).toEqual([]);
    },
  );

  test(
    "that begins after the run was written ends no schedule either",
    { tags: "thorough" },
    async () => {
      await using bench = await startBench();
      bench.agents.answer = () => ({});
      const { clock } = bench.kernel;
      const { id } = await bench.create({ schedules: [daily("13:00")] });
      const { engine } = bench.kernel.kernel.foundation.core;
      const { commit } = engine;
      let repair = () => {};
      engine.commit = async (...batch) => {
        const newest = await commit(...batch);
        if (batch[0].some(({ key }) => key.includes(":run:"))) {
          engine.commit = commit;
          repair = breakStore(bench);
        }
        return newest;
      };
      await clock.advance(2 * HOUR);
      expect(bench.agents.runs).toHaveLength(1);
      repair();
      await clock.advance(DAY);
      expect(inShort(await bench.ended(id, 2))).toEqual([
        "schedule 2026-03-02T13:00Z done",
        "schedule 2026-03-03T13:00Z done",
      ]);
    },
  );

  test("when the clock was put right by days ends no schedule", async () => {
    await using bench = await startBench({
      startAt: "2036-03-02T12:00:00.000Z",
    });
    bench.agents.answer = () => ({});
    const { clock } = bench.kernel;
    const { id } = await bench.create({ schedules: [daily("13:00")] });
    const repair = breakStore(bench);
    clock.jumpWall("2026-03-02T12:00:00.000Z");
    await clock.advance(2 * MINUTE);
    repair();
    await clock.advance(2 * HOUR);
    expect(inShort(await bench.ended(id, 1))).toEqual([
      "schedule 2026-03-02T13:00Z done",
    ]);
  });
});

test("the doctor names schedules whose next time is past", async () => {
  await using bench = await startBench();
  const { clock } = bench.kernel;
  const late = await bench.create({
    name: "Late one",
    schedules: [daily("13:00")],
  });
  await bench.create({
    name: "Off",
    enabled: false,
    schedules: [daily("13:00")],
  });
  expect(await findings(bench)).toEqual([]);
  const { engine } = bench.kernel.kernel.foundation.core;
  const { commit } = engine;
  engine.commit = (...batch) =>
    batch[0].some(({ key }) => key.includes(":run:"))
      ? Promise.reject(new Error("No space left."))
      : commit(...batch);
  await clock.advanceTo(late.nextRunAt!);
  await clock.advance(9 * MINUTE);
  expect(await findings(bench)).toEqual([]);
  await clock.advance(3 * MINUTE);
  expect(await findings(bench)).toEqual([
    {
      severity: "medium",
      code: "AUTOMATION_OVERDUE",
      what: expect.stringMatching(/"Late one" .*2026-03-02T13:0\d/),
      fix: expect.any(String),
    },
  ]);
  engine.commit = commit;
  await clock.advance(6 * MINUTE);
  expect(await findings(bench)).toEqual([]);
});
