import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chooseExpired,
  type KeptSnapshot,
} from "../../src/schedule/choose-expired.ts";

const NOW = Date.parse("2026-03-02T12:00:00.000Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function snapshotAt(agoMs: number, isGood = true): KeptSnapshot {
  const createdAt = new Date(NOW - agoMs).toISOString();
  return { id: createdAt, createdAt, isGood, isVerified: false };
}

/** The ages in hours of the snapshots that are kept of one an hour. */
function keptOfHourly(
  hours: number,
  rules: { keepDays: number; keepsWeekly: boolean },
): number[] {
  const all = Array.from({ length: hours }, (_, hour) =>
    snapshotAt(hour * HOUR),
  );
  const expired = new Set(chooseExpired(all, rules, NOW));
  return all.flatMap(({ id }, hour) => (expired.has(id) ? [] : [hour]));
}

describe("which snapshots are kept", () => {
  test("all of the last day, and one a day for `keepDays`", () => {
    const kept = keptOfHourly(24 * 10, { keepDays: 4, keepsWeekly: false });
    // At noon, today has 13; the newest of yesterday is 13 hours old.
    expect(kept).toEqual([
      ...Array.from({ length: 24 }, (_, hour) => hour),
      37,
      61,
    ]);
  });

  test("one a week beyond, if asked", () => {
    const kept = keptOfHourly(24 * 30, { keepDays: 2, keepsWeekly: true });
    // 2 March 2026 is a Monday: the newest of the weeks before are of Sundays, of which the 1st is a day that is kept.
    expect(kept.slice(24)).toEqual([37, 181, 349, 517, 685]);
  });

  test("days without a snapshot do not count", () => {
    const ages = [0, 40 * DAY, 41 * DAY, 500 * DAY, 501 * DAY];
    const all = ages.map((age) => snapshotAt(age));
    const rules = { keepDays: 4, keepsWeekly: false };
    expect(chooseExpired(all, rules, NOW)).toEqual([all[4]!.id]);
  });

  test("a clock that is years ahead expires nothing of the last days", () => {
    const all = Array.from({ length: 5 }, (_, day) => snapshotAt(day * DAY));
    const rules = { keepDays: 30, keepsWeekly: false };
    expect(chooseExpired(all, rules, NOW + 5000 * DAY)).toEqual([]);
  });

  test("of a day, the newest good one", () => {
    const all = [
      snapshotAt(0),
      snapshotAt(2 * DAY, false),
      snapshotAt(2 * DAY + HOUR),
      snapshotAt(2 * DAY + 2 * HOUR),
    ];
    const rules = { keepDays: 9, keepsWeekly: false };
    expect(chooseExpired(all, rules, NOW)).toEqual([all[3]!.id, all[1]!.id]);
  });

  test("the newest good one, however old it is", () => {
    const all = [
      ...Array.from({ length: 9 }, (_, day) => snapshotAt(day * DAY, false)),
      snapshotAt(100 * DAY),
    ];
    const rules = { keepDays: 1, keepsWeekly: false };
    expect(chooseExpired(all, rules, NOW)).not.toContain(all[9]!.id);
    expect(chooseExpired(all, rules, NOW)).toContain(all[8]!.id);
  });

  test("the newest good one that was verified", () => {
    const all = Array.from({ length: 9 }, (_, day) => ({
      ...snapshotAt(day * DAY, day !== 4),
      isVerified: day >= 4,
    }));
    const rules = { keepDays: 1, keepsWeekly: false };
    const expired = chooseExpired(all, rules, NOW);
    expect(all.filter(({ id }) => !expired.includes(id))).toEqual([
      all[0],
      all[5],
    ]);
  });

  test("those of the future, which take no place of a day, a week or the newest good one", () => {
    const future = [snapshotAt(-9 * DAY), snapshotAt(-8 * DAY)];
    const past = [
      ...[snapshotAt(2 * DAY), snapshotAt(3 * DAY)],
      ...[snapshotAt(20 * DAY), snapshotAt(30 * DAY, false)],
    ];
    const rules = { keepDays: 1, keepsWeekly: false };
    const ids = (some: KeptSnapshot[]) => some.map(({ id }) => id);
    expect(chooseExpired([...future, ...past], rules, NOW)).toEqual(
      ids(past.slice(1)).reverse(),
    );
    const verified = past.map((one, at) => ({ ...one, isVerified: at === 2 }));
    const forged = future.map((one) => ({ ...one, isVerified: true }));
    expect(chooseExpired([...forged, ...verified], rules, NOW)).toEqual(
      ids([past[3]!, past[1]!]),
    );
  });

  test("those in use", () => {
    const all = [snapshotAt(0), snapshotAt(9 * DAY), snapshotAt(10 * DAY)];
    const rules = { keepDays: 1, keepsWeekly: false };
    const inUse = new Set([all[2]!.id]);
    expect(chooseExpired(all, rules, NOW, inUse)).toEqual([all[1]!.id]);
  });
});

const snapshots = fc
  .array(
    fc.record({
      age: fc.integer({ min: -2 * DAY, max: 400 * DAY }),
      isGood: fc.boolean(),
      isVerified: fc.boolean(),
    }),
    { maxLength: 60 },
  )
  .map((items) =>
    items.map(({ age, isGood, isVerified }, index) => ({
      ...snapshotAt(age, isGood),
      isVerified,
      id: `snap_${index}`,
    })),
  );
const rules = fc.record({
  keepDays: fc.integer({ min: 1, max: 400 }),
  keepsWeekly: fc.boolean(),
});

describe("of any snapshots", () => {
  test("the newest good one, those of the last day and those in use stay", () => {
    fc.assert(
      fc.property(snapshots, rules, fc.nat(), (all, given, pick) => {
        const atWork = all[pick % Math.max(1, all.length)]?.id ?? "none";
        const expired = new Set(
          chooseExpired(all, given, NOW, new Set([atWork])),
        );
        const kept = all.filter(({ id }) => !expired.has(id));
        expect(expired.has(atWork)).toBe(false);
        for (const { createdAt, id } of all)
          if (NOW - Date.parse(createdAt) < DAY)
            expect(expired.has(id)).toBe(false);
        const newest = (some: KeptSnapshot[]) =>
          some
            .filter(({ isGood }) => isGood)
            .map(({ createdAt }) => createdAt)
            .sort()
            .at(-1);
        expect(newest(kept)).toBe(newest(all));
        const verified = (some: KeptSnapshot[]) =>
          some.filter(({ isVerified }) => isVerified);
        expect(newest(verified(kept))).toBe(newest(verified(all)));
      }),
    );
  });

  test("each day of the last days keeps one, and nothing expires that expired already", () => {
    fc.assert(
      fc.property(snapshots, rules, (all, given) => {
        const expired = new Set(chooseExpired(all, given, NOW));
        const kept = all.filter(({ id }) => !expired.has(id));
        const toDays = (some: KeptSnapshot[]) =>
          [...new Set(some.map(({ createdAt }) => createdAt.slice(0, 10)))]
            .sort()
            .reverse()
            .slice(0, given.keepDays);
        expect(toDays(kept)).toEqual(toDays(all));
        expect(chooseExpired(kept, given, NOW)).toEqual([]);
      }),
    );
  });

  test("fewer rules never keep more", () => {
    fc.assert(
      fc.property(snapshots, rules, (all, given) => {
        const more = chooseExpired(all, { ...given, keepsWeekly: false }, NOW);
        const fewer = chooseExpired(all, { ...given, keepsWeekly: true }, NOW);
        expect(more).toEqual(expect.arrayContaining(fewer));
      }),
    );
  });
});
