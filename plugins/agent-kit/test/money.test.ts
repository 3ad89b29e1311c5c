import fc from "fast-check";
import { expect, test } from "vitest";
import {
  checkAmount,
  CostMeter,
  ReportFault,
  roundMoney,
} from "../src/money.ts";
import { addUsage, NO_USAGE } from "../src/usage.ts";

test("the differences of a running total add up to it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 100, noNaN: true })),
      (steps) => {
        const meter = new CostMeter(null);
        let total = 0;
        let sum = 0;
        for (const step of steps) {
          total += step;
          sum += meter.spent(total);
        }
        expect(sum).toBeCloseTo(total, 6);
      },
    ),
  );
});

test("a total that shrinks within one process is a fault", () => {
  const meter = new CostMeter(null);
  meter.spent(2);
  expect(() => meter.spent(1.5)).toThrow(ReportFault);
});

test("after a restart, a continued total counts from its last value, and a restarted one from 0", () => {
  expect(new CostMeter(2).spent(2.25)).toBe(0.25);
  expect(new CostMeter(2).spent(0.25)).toBe(0.25);
});

test("the total of a loaded conversation is not counted again", () => {
  const meter = new CostMeter(0.5);
  meter.rebase(3);
  expect(meter.spent(3.1)).toBe(0.1);
});

test.each([
  [-1],
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  ["1"],
  [null],
  [undefined],
  [{}],
])("%s is no amount", (value) => {
  expect(() => checkAmount(value, "a cost")).toThrow(ReportFault);
});

test("large and tiny amounts are accepted", () => {
  expect(checkAmount(1e12, "a cost")).toBe(1e12);
  expect(checkAmount(0, "a cost")).toBe(0);
});

test("unknown stays unknown, and is never 0", () => {
  expect(addUsage(NO_USAGE, NO_USAGE)).toEqual(NO_USAGE);
  expect(
    addUsage(NO_USAGE, { inputTokens: 0, outputTokens: null, costUsd: 0.1 }),
  ).toEqual({
    inputTokens: 0,
    outputTokens: null,
    costUsd: 0.1,
  });
  expect(roundMoney(0.1 + 0.2)).toBe(0.3);
});
