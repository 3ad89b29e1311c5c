import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import type { PlannedSchedule } from "../../src/schedule/plan.ts";
import { createSlots } from "../../src/schedule/slots.ts";
import { createMinuteWalk, toCronText } from "../support/minute-walk.ts";
import type { PlainRule } from "../support/minute-walk.ts";
import { simulateDaemon } from "../support/simulated-daemon.ts";
import type { SimulatedRun } from "../support/simulated-daemon.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const slots = createSlots();
const walkMinutes = createMinuteWalk();

const ZONES = [
  ["America/New_York", "2026-03-07T12:00:00Z"],
  ["America/New_York", "2026-10-31T12:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-03T22:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-02T22:00:00Z"],
  ["America/Havana", "2026-10-31T12:00:00Z"],
  ["Pacific/Apia", "2011-12-29T12:00:00Z"],
  ["Europe/Berlin", "2028-02-28T12:00:00Z"],
] as const;

const some = (to: number, most: number) =>
  fc.uniqueArray(fc.integer({ min: 0, max: to }), {
    minLength: 1,
    maxLength: most,
  });
const rule: fc.Arbitrary<PlainRule> = fc.record({
  minutes: fc.oneof(
    some(59, 3),
    fc.constantFrom([0, 20, 40], [...Array(60).keys()]),
  ),
  hours: fc.option(some(23, 6), { nil: null }),
  days: fc.constant(null),
  months: fc.constant(null),
  weekdays: fc.constant(null),
});

type Break = {
  awake: number;
  kind: "restart" | "sleep" | "hold";
  away: number;
};
const breaks: fc.Arbitrary<Break[]> = fc.array(
  fc.record({
    awake: fc.integer({ min: 1, max: 8 * 60 }),
    kind: fc.constantFrom("restart", "sleep", "hold"),
    away: fc.oneof(
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 60, max: 20 * 60 }),
    ),
  }),
  { minLength: 1, maxLength: 4 },
);

const scenario = fc.record({
  zone: fc.constantFrom(...ZONES),
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
  second: fc.integer({ min: 0, max: 59_999 }),
  breaks,
});

function toSchedules(
  rules: readonly PlainRule[],
  timeZone: string,
): PlannedSchedule[] {
  return rules.map((plain, index) => ({
    id: `sch_${index}`,
    enabled: true,
    frequency: "custom",
    cron: toCronText(plain),
    time: null,
    weekday: null,
    minute: null,
    timeZone,
  }));
}

describe("through restarts, sleep and a process that is held, at all edges", () => {
  test("no slot is lost, doubled or late without a reason", () => {
    fc.assert(
      fc.property(scenario, ({ zone: [zone, day], rules, second, breaks }) => {
        const start = Date.parse(day) + second;
        const schedules = toSchedules(rules, zone);
        const daemon = simulateDaemon(slots, schedules, start);
        /** When it was not awake, with the time that it then has to make up for things. */
        const away: { from: number; until: number }[] = [];
        for (const { awake, kind, away: minutes } of breaks) {
          daemon.advance(awake * MINUTE);
          const from = daemon.now;
          daemon[kind](minutes * MINUTE);
          // Sleep is found out at the next look, and nothing fires for 5 s after that. A short hold is no break.
          const found = kind === "restart" ? 0 : 35 * SECOND;
          away.push({ from, until: daemon.now + found });
        }
        daemon.advance(3 * HOUR);
        const end = daemon.now;

        expectSpacing(daemon.runs);
        for (const [index, plain] of rules.entries()) {
          const { id } = schedules[index]!;
          const { offsetMs } = daemon.marks[id]!;
          const runs = daemon.runs.filter(
            ({ scheduleId }) => scheduleId === id,
          );
          const first = Math.floor(start / MINUTE) * MINUTE + MINUTE;
          const expected = walkMinutes(plain, zone, first, end);
          const known = new Set(expected);
          for (const [position, { slotAt, firedAt }] of runs.entries()) {
            expect(known.has(slotAt)).toBe(true);
            expect(firedAt).toBeGreaterThanOrEqual(slotAt + offsetMs);
            if (position > 0)
              expect(slotAt).toBeGreaterThan(runs[position - 1]!.slotAt);
          }
          for (const slot of expected) {
            const due = slot + offsetMs;
            if (due > end) continue;
            const missed = away.find(
              ({ from, until }) => from < due && due <= until,
            );
            const own = runs.find(({ slotAt }) => slotAt === slot);
            if (!missed && own) {
              // On time to the millisecond, unless it stands in for what was missed before it.
              if (own.trigger === "schedule") expect(own.firedAt).toBe(due);
              continue;
            }
            // Made up for by one run, for this slot or for a later one.
            const cover = runs.find(({ slotAt }) => slotAt >= slot);
            const latest = (missed?.until ?? due) + rules.length * 5 * SECOND;
            expect(cover, `slot ${new Date(slot).toISOString()}`).toBeDefined();
            expect(cover!.firedAt).toBeLessThanOrEqual(latest);
          }
        }
      }),
      { numRuns: runs(60) },
    );
  });
});

/** What is made up for comes 5 s apart. */
function expectSpacing(runs: readonly SimulatedRun[]): void {
  const times = runs
    .filter(({ trigger }) => trigger === "catch-up")
    .map(({ firedAt }) => firedAt);
  for (const [index, time] of times.entries())
    if (index > 0)
      expect(time - times[index - 1]!).toBeGreaterThanOrEqual(5 * SECOND);
}

test("a wall clock that is set to and fro never lets a slot run twice", () => {
  fc.assert(
    fc.property(
      fc.array(rule, { minLength: 1, maxLength: 2 }),
      fc.array(fc.integer({ min: -6 * 60, max: 6 * 60 }), {
        minLength: 1,
        maxLength: 6,
      }),
      (rules, jumps) => {
        const schedules = toSchedules(rules, "Europe/Berlin");
        const daemon = simulateDaemon(
          slots,
          schedules,
          Date.parse("2026-03-28T12:00:10Z"),
        );
        for (const jump of jumps) {
          daemon.advance(2 * HOUR);
          daemon.setWall(daemon.now + jump * MINUTE);
        }
        daemon.advance(2 * HOUR);
        const seen = daemon.runs.map(
          ({ scheduleId, slotAt }) => `${scheduleId} ${slotAt}`,
        );
        expect(new Set(seen).size).toBe(seen.length);
      },
    ),
    { numRuns: runs(50) },
  );
});
