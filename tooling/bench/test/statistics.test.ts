import { describe, expect, test } from "vitest";
import {
  median,
  medianRatio,
  percentile99,
} from "../src/measure/statistics.ts";

describe("median", () => {
  test.each([
    { values: [3], is: 3 },
    { values: [9, 1, 5], is: 5 },
    { values: [4, 1, 3, 2], is: 2.5 },
    { values: [10, 9, 100], is: 10 },
  ])("of $values is $is", ({ values, is }) => {
    expect(median(values)).toBe(is);
  });

  test("leaves its input as it is", () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  test("of nothing there is none", () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

describe("percentile99", () => {
  test("is what 99 of 100 do not exceed", () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(percentile99(values)).toBe(99);
    expect(percentile99([...values, 1000])).toBe(100);
  });

  test("of one value is that value", () => {
    expect(percentile99([7])).toBe(7);
  });

  test("sorts by number and not by letters", () => {
    expect(percentile99([9, 10, 100])).toBe(100);
  });

  test("of nothing there is none", () => {
    expect(() => percentile99([])).toThrow(RangeError);
  });
});

describe("medianRatio", () => {
  test("compares what was measured in one round", () => {
    // The second round was ten times as slow for both, the third for ours alone.
    expect(medianRatio([80, 8, 8], [100, 10, 100])).toBeCloseTo(0.8);
  });

  test("is not the ratio of the medians", () => {
    expect(medianRatio([1, 10, 100], [100, 10, 1])).toBe(1);
    expect(medianRatio([1, 2, 9], [1, 4, 3])).toBe(1);
  });
});
