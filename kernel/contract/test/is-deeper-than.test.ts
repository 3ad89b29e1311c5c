import fc from "fast-check";
import { expect, test } from "vitest";
import { isDeeperThan } from "../src/index.ts";

/** Levels, counted in what the text is parsed to. */
function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

test("levels are counted as they are parsed, whatever strings and keys hold", () => {
  const json = fc.json({ depthSize: "medium", stringUnit: "binary" });
  const bracketed = fc.constantFrom('"[[[["', '{"\\"[":["}"]}', '["\\\\",[]]');
  fc.assert(
    fc.property(fc.oneof(json, bracketed), fc.nat(6), (text, levels) => {
      const isDeeper = levelsOf(JSON.parse(text)) > levels;
      expect(isDeeperThan(levels, text)).toBe(isDeeper);
    }),
  );
});

test("what is no JSON ends too", () => {
  expect(isDeeperThan(3, '"never closed [[[[[[')).toBe(false);
  expect(isDeeperThan(3, "\\".repeat(9))).toBe(false);
  expect(isDeeperThan(3, "]]]][[[[")).toBe(false);
});
