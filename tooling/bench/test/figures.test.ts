import { describe, expect, test } from "vitest";
import {
  atLeast,
  atMost,
  kilobytes,
  milliseconds,
  over,
  perSecond,
  renderTable,
  under,
} from "../src/measure/row.ts";
import {
  median,
  medianRatio,
  percentile99,
} from "../src/measure/statistics.ts";

describe("figures", () => {
  test("the median is the middle one, or the mean of the two in the middle", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 9, 2])).toBe(3);
    expect(() => median([])).toThrow(RangeError);
  });

  test("the 99th percentile is what 99 of 100 do not exceed", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile99(hundred)).toBe(99);
    expect(percentile99([7])).toBe(7);
    expect(() => percentile99([])).toThrow(RangeError);
  });

  test("ratios are those of one round each, so that a slow round counts for neither side", () => {
    expect(medianRatio([10, 1, 20], [20, 2, 40])).toBe(0.5);
  });
});

describe("rows", () => {
  test("an aim is met at its limit, and missed beyond", () => {
    expect(atLeast("", "", "", 0.7, 0.7).isMet).toBe(true);
    expect(atLeast("", "", "", 0.69, 0.7).isMet).toBe(false);
    expect(atMost("", "", "", 1.5, 1.5).isMet).toBe(true);
    expect(atMost("", "", "", 1.51, 1.5).isMet).toBe(false);
    expect(under("", 350, 350, kilobytes).isMet).toBe(true);
    expect(under("", 351, 350, kilobytes).isMet).toBe(false);
    expect(over("", 650, 650, perSecond).isMet).toBe(true);
    expect(over("", 649, 650, perSecond).isMet).toBe(false);
  });

  test("the table lines up, and says which aims were missed", () => {
    const table = renderTable([
      over("writes", 12_345, 10_000, perSecond),
      under("start", 480, 300, milliseconds),
    ]);
    expect(table.split("\n")).toEqual([
      "What    Gantry    Against  Ratio  Aim",
      "──────  ────────  ───────  ─────  ──────────  ──────",
      "writes  12,345/s  limit    1.23   ≥ 10,000/s  ok",
      "start   480 ms    limit    1.60   ≤ 300 ms    missed",
    ]);
  });
});
