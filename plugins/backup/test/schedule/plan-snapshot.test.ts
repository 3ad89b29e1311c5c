import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  elapsedSince,
  recallMoment,
  type Moment,
} from "../../src/schedule/elapsed-time.ts";
import {
  planSnapshot,
  toRetryDelay,
} from "../../src/schedule/plan-snapshot.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("when a snapshot is due", () => {
  test.each([
    ["never made", undefined, 0, undefined, 0],
    ["just made", 0, 0, undefined, 60 * MINUTE],
    ["half an hour old", 30 * MINUTE, 0, undefined, 30 * MINUTE],
    ["a period old", 60 * MINUTE, 0, undefined, 0],
    ["overdue by a year", 365 * 24 * HOUR, 0, undefined, 0],
    ["failed once just now", 2 * HOUR, 1, 0, 5 * MINUTE],
    ["failed twice, 4 minutes ago", 2 * HOUR, 2, 4 * MINUTE, 6 * MINUTE],
    ["failed, and not due yet", 10 * MINUTE, 1, 6 * MINUTE, 50 * MINUTE],
    ["failed a hundred times", 9 * HOUR, 100, 0, 60 * MINUTE],
    ["never made and failed", undefined, 3, 20 * MINUTE, 0],
  ])("%s", (_, sinceMadeMs, failures, sinceFailedMs, wait) => {
    expect(
      planSnapshot({ everyMinutes: 60, sinceMadeMs, failures, sinceFailedMs }),
    ).toBe(wait);
  });

  test("retries wait longer each time, up to 6 hours or one period", () => {
    const delays = (everyMs: number) =>
      [1, 2, 3, 4, 5, 6, 7, 8, 2000].map(
        (failures) => toRetryDelay(failures, everyMs) / MINUTE,
      );
    expect(delays(24 * HOUR)).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360]);
    expect(delays(15 * MINUTE)).toEqual([5, 10, 15, 15, 15, 15, 15, 15, 15]);
    expect(toRetryDelay(0, HOUR)).toBe(0);
  });
});

/** What happens to a daemon between two looks at the schedule, a minute apart. */
const happening = fc.oneof(
  { weight: 20, arbitrary: fc.constant({ type: "minute" } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("jump" as const),
      ms: fc.integer({ min: -1e12, max: 1e12 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("sleep" as const),
      ms: fc.integer({ min: 0, max: 1e9 }),
    }),
  },
);

describe("whatever the clock does while the daemon runs", () => {
  test("no period passes without a snapshot, and there are no more than periods and jumps", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 15, max: 60 }),
        fc.array(happening, { maxLength: 300 }),
        (everyMinutes, happenings) => {
          const now: Moment = { wall: 1.7e12, monotonic: 0 };
          let made: Moment | undefined;
          let madeAfterMinutes = 0;
          let minutes = 0;
          let count = 0;
          let leaps = 0;
          for (const it of happenings) {
            if (it.type === "minute") {
              now.wall += MINUTE;
              now.monotonic += MINUTE;
              minutes++;
            } else now.wall += it.ms;
            if (it.type !== "minute" && it.ms > 0) leaps++;
            const wait = planSnapshot({
              everyMinutes,
              sinceMadeMs: made && elapsedSince(made, now),
              failures: 0,
              sinceFailedMs: undefined,
            });
            expect(wait).toBeLessThanOrEqual(everyMinutes * MINUTE);
            if (wait === 0) {
              made = { ...now };
              madeAfterMinutes = minutes;
              count++;
            }
            // A clock that is set back by less than a second is not noticed, and makes it a minute later.
            expect(minutes - madeAfterMinutes).toBeLessThanOrEqual(
              everyMinutes,
            );
          }
          expect(count).toBeLessThanOrEqual(
            1 + Math.floor(minutes / everyMinutes) + leaps,
          );
        },
      ),
    );
  });

  test("clocks that differ by milliseconds do not move the next time", () => {
    const made = { wall: 1000, monotonic: 0.2 };
    const now = { wall: 61_000, monotonic: 60_000.9 };
    expect(elapsedSince(made, now)).toBe(60_000);
  });

  test("what an earlier daemon stored in the future counts as now", () => {
    const now = { wall: 1000, monotonic: 7 };
    expect(elapsedSince(recallMoment(5000, now), now)).toBe(0);
    expect(elapsedSince(recallMoment(400, now), now)).toBe(600);
  });
});
