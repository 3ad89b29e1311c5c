import fc from "fast-check";
import { costGrowth, MAX_LINEAR_GROWTH } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { createRowHeights } from "../../ui/scroll/rowHeights.ts";
import { growRange, isSameRange } from "../../ui/scroll/rowRange.ts";
import {
  isNearBeginning,
  staysAtEnd,
  type ScrollPlace,
} from "../../ui/scroll/stickToEnd.ts";

const place = (top: number, view = 500, whole = 5_000): ScrollPlace => ({
  top,
  view,
  whole,
});

test("only a move upwards lets go of the end", () => {
  const atEnd = place(4_500);
  expect(staysAtEnd(true, atEnd, place(4_000))).toBe(false);
  expect(staysAtEnd(true, atEnd, place(4_500, 500, 9_000))).toBe(true);
  expect(staysAtEnd(true, atEnd, place(4_490))).toBe(true);
});

test("coming back to the end takes hold of it again", () => {
  expect(staysAtEnd(false, place(4_000), place(4_480))).toBe(true);
  expect(staysAtEnd(false, place(4_000), place(4_200))).toBe(false);
});

test("more is read two views before the beginning", () => {
  expect(isNearBeginning(place(999))).toBe(true);
  expect(isNearBeginning(place(1_000))).toBe(false);
});

/** The same, counted in the plainest way. */
function sum(keys: readonly string[], known: ReadonlyMap<string, number>) {
  const offsets = [0];
  for (const key of keys)
    offsets.push((offsets.at(-1) ?? 0) + (known.get(key) ?? 40));
  return offsets;
}

const step = fc.oneof(
  fc.record({ type: fc.constant("prepend" as const), count: fc.nat(5) }),
  fc.record({ type: fc.constant("append" as const), count: fc.nat(5) }),
  fc.record({ type: fc.constant("drop" as const), count: fc.nat(3) }),
  fc.record({
    type: fc.constant("measure" as const),
    at: fc.nat(30),
    height: fc.integer({ min: 1, max: 900 }),
  }),
);

test("offsets are right after whatever changes", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heights = createRowHeights();
      const known = new Map<string, number>();
      let keys: string[] = [];
      let made = 0;
      const make = (count: number) =>
        Array.from({ length: count }, () => `row-${(made += 1)}`);
      for (const change of steps) {
        if (change.type === "measure") {
          const key = keys[change.at % Math.max(1, keys.length)];
          if (key === undefined) continue;
          known.set(key, change.height);
          heights.measure(key, change.height);
        } else {
          if (change.type === "prepend")
            keys = [...make(change.count), ...keys];
          if (change.type === "append") keys = [...keys, ...make(change.count)];
          if (change.type === "drop")
            keys = keys.slice(0, Math.max(0, keys.length - change.count));
          heights.setRows(
            keys.map((key) => ({ key })),
            () => 40,
          );
        }
        const offsets = sum(keys, known);
        expect(heights.total).toBe(offsets.at(-1));
        for (const index of keys.keys()) {
          expect(heights.offsetOf(index)).toBe(offsets[index]);
          expect(heights.indexAt(offsets[index] ?? 0)).toBe(index);
        }
      }
    }),
  );
});

test("what was measured of a row is kept when rows come in above it", () => {
  const heights = createRowHeights();
  heights.setRows([{ key: "b" }], () => 40);
  expect(heights.measure("b", 100)).toBe(true);
  expect(heights.measure("b", 100)).toBe(false);
  heights.setRows([{ key: "a" }, { key: "b" }], () => 30);
  expect(heights.offsetOf(1)).toBe(30);
  expect(heights.total).toBe(130);
});

test("only rows that are new or changed are estimated", () => {
  const heights = createRowHeights();
  const estimated: number[] = [];
  const estimate = (index: number) => {
    estimated.push(index);
    return 10 * (index + 1);
  };
  const [first, second, third] = ["a", "b", "c"].map((key) => ({ key }));
  heights.setRows([first!, second!], estimate);
  heights.setRows([first!, second!, third!], estimate);
  heights.setRows([first!, second!, { key: "c" }], estimate);
  expect(estimated).toEqual([0, 1, 2, 2]);
  expect(heights.total).toBe(60);
  heights.setRows([second!], () => 5);
  expect(heights.total).toBe(5);
  expect(heights.indexOf("a")).toBe(-1);
  expect(heights.indexOf("b")).toBe(0);
});

test("rows are counted in linear time", async () => {
  const rowsOf = (length: number) =>
    Array.from({ length }, (_, index) => ({ key: `row-${index}` }));
  function countRows(rows: ReturnType<typeof rowsOf>): void {
    const size = rows.length;
    const heights = createRowHeights();
    for (let round = 0; round < 4; round += 1) {
      heights.setRows(rows.slice(0, size - round), () => 40);
      heights.measure("row-100", 40 + round * 2);
      expect(heights.indexAt(heights.total / 2)).toBeGreaterThan(0.4 * size);
    }
  }
  expect(await costGrowth(rowsOf, countRows, 200)).toBeLessThan(
    MAX_LINEAR_GROWTH,
  );
});

const span = fc
  .tuple(fc.nat(40), fc.integer({ min: 1, max: 40 }))
  .map(([start, count]) => ({ start, end: start + count }));

test("what is in view is drawn at once, and the rest of it row by row", () => {
  fc.assert(
    fc.property(span, span, fc.nat(10), fc.nat(10), (drawn, view, ...more) => {
      const [above, below] = more;
      const wide = {
        start: Math.max(0, view.start - above),
        end: view.end + below,
      };
      let range = drawn;
      for (let frame = 0; !isSameRange(range, wide); frame += 1) {
        const next = growRange(range, view, wide);
        expect(next.start).toBeLessThanOrEqual(view.start);
        expect(next.end).toBeGreaterThanOrEqual(view.end);
        const isOver = next.end <= range.start || range.end <= next.start;
        if (!isOver) {
          const shown = Math.min(range.start, view.start);
          expect(next.start).toBeGreaterThanOrEqual(shown - 1);
          expect(next.end).toBeLessThanOrEqual(
            Math.max(range.end, view.end) + 1,
          );
        }
        range = next;
        expect(frame).toBeLessThanOrEqual(Math.max(above, below));
      }
    }),
  );
});
