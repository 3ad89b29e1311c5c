import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toSizes } from "../../ui/overview/toSizes.ts";

const HOUR_MS = 60 * 60 * 1000;
const now = new Date(2026, 10, 22, 14, 30).getTime();
const at = (hoursAgo: number, ownBytes = 1, contentBytes = 100) => ({
  createdAt: new Date(now - hoursAgo * HOUR_MS).toISOString(),
  ownBytes,
  contentBytes,
});

describe("sizes over time", () => {
  test("of a day are shown by the hour of the reader", () => {
    const sizes = toSizes([at(0, 5), at(0.2, 7), at(20, 3)], now);
    expect(sizes.by).toBe("hour");
    expect(sizes.times).toHaveLength(21);
    expect(sizes.times.at(-1)).toBe("2026-11-22T14");
    expect(sizes.times[0]).toBe("2026-11-21T18");
    expect(sizes.added.at(-1)).toBe(12);
    expect(sizes.added[0]).toBe(3);
  });

  test("of weeks are shown by the day, from the first one on", () => {
    const sizes = toSizes([at(2), at(24 * 20)], now);
    expect(sizes.by).toBe("day");
    expect(sizes.times).toHaveLength(21);
    expect(sizes.times[0]).toBe("2026-11-02");
    expect(sizes.times.at(-1)).toBe("2026-11-22");
  });

  test("of years end with the last 90 days", () => {
    const sizes = toSizes([at(2), at(24 * 400, 1, 70)], now);
    expect(sizes.times).toHaveLength(90);
    // What was held before is still held.
    expect(sizes.held[0]).toBe(70);
  });

  test("repeat the newest snapshot before a time at which none was made", () => {
    const sizes = toSizes(
      [at(1, 1, 300), at(24 * 4, 1, 200), at(24 * 6, 1, 100)],
      now,
    );
    expect(sizes.held).toEqual([100, 100, 200, 200, 200, 200, 300]);
    expect(sizes.added.filter((bytes) => bytes > 0)).toHaveLength(3);
  });

  test("of nothing are a line of zeros", () => {
    const { times, added, held } = toSizes([], now);
    expect(times.length).toBeGreaterThan(0);
    expect([...added, ...held].every((bytes) => bytes === 0)).toBe(true);
  });

  test("have no gap and lose no snapshot of the last 90 days, whatever the order", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 24 * 88, noNaN: true })),
        (ages) => {
          const sizes = toSizes(
            ages.map((hours) => at(hours)),
            now,
          );
          const sum = sizes.added.reduce((total, bytes) => total + bytes, 0);
          expect(sum).toBe(ages.length);
          expect(new Set(sizes.times).size).toBe(sizes.times.length);
          expect(sizes.times).toEqual([...sizes.times].sort());
        },
      ),
    );
  });
});
