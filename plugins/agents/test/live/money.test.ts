import { runs } from "@gantry/build/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  CostMeter,
  readAmount,
  roundMoney,
  sumAmounts,
} from "../../src/drivers/money.ts";
import { addUsage, NO_USAGE } from "../../src/live/usage.ts";

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
          sum += meter.spent(total) ?? Number.NaN;
        }
        expect(sum).toBeCloseTo(total, 6);
      },
    ),
  );
});

test("a total that shrinks has started over", () => {
  const meter = new CostMeter(null);
  meter.spent(2);
  expect(meter.spent(1.5)).toBe(1.5);
  expect(meter.spent(1.75)).toBe(0.25);
});

test("what cannot be read between two totals loses nothing of what was spent", () => {
  const meter = new CostMeter(null);
  const reports = [0.5, null, undefined, "much", -1, {}, "0.75", 1];
  expect(reports.map((report) => meter.spent(report))).toEqual([
    ...[0.5, null, null, null, null, null, 0.25, 0.25],
  ]);
  expect(meter.total).toBe(1);
});

test("whatever a CLI reports, spending is an amount or unknown", () => {
  const report = fc.oneof(fc.double(), fc.string(), fc.anything());
  fc.assert(
    fc.property(fc.array(report), (reports) => {
      const meter = new CostMeter(null);
      for (const one of reports) {
        const spent = meter.spent(one);
        expect(spent === null || (spent >= 0 && spent < Infinity)).toBe(true);
      }
    }),
    { numRuns: runs(100) },
  );
});

test("after a restart, a total that continues counts from where it was, and one that starts over from 0", () => {
  expect(new CostMeter(2).spent(2.25)).toBe(0.25);
  expect(new CostMeter(2).spent(0.25)).toBe(0.25);
});

test("what comes with a conversation that was loaded is not spent again", () => {
  const meter = new CostMeter(0.5);
  meter.rebase(3);
  expect(meter.spent(3.1)).toBe(0.1);
});

test.each([
  [-1],
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  [1e16],
  ["1.7e299"],
  ["-1"],
  ["0x10"],
  ["1e999"],
  [""],
  [null],
  [undefined],
  [{}],
])("%s is no amount", (value) => {
  expect(readAmount(value)).toBeNull();
});

test("large and tiny amounts are amounts, and so are texts of them", () => {
  expect([1e12, 0, "0.1", " 2 "].map(readAmount)).toEqual([1e12, 0, 0.1, 2]);
  expect(readAmount(-0)).toBe(0);
  expect(sumAmounts([1, "2", null, "x"])).toBe(3);
  expect(sumAmounts([null, undefined])).toBeNull();
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
