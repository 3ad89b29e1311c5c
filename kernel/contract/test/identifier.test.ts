import fc from "fast-check";
import { expect, test } from "vitest";
import { createIdentifier, isIdentifier } from "../src/index.ts";

const prefix = fc.stringMatching(/^[a-z]{2,6}$/);

test("a new id has its prefix and 24 letters of a–z2–7, and is one of its own kind only", () => {
  fc.assert(
    fc.property(prefix, prefix, (own, other) => {
      const id = createIdentifier(own);
      expect(id).toMatch(new RegExp(`^${own}_[a-z2-7]{24}$`));
      expect(isIdentifier(own, id)).toBe(true);
      expect(isIdentifier(other, id)).toBe(own === other);
    }),
  );
});

test("ids differ, and each letter of the alphabet is as frequent as any other", () => {
  const ids = Array.from({ length: 2000 }, () => createIdentifier("tst"));
  expect(new Set(ids).size).toBe(ids.length);
  const counts = new Map<string, number>();
  for (const letter of ids.flatMap((id) => [...id.slice(4)])) {
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  expect(counts.size).toBe(32);
  // 1500 are expected of each; 300 more or less is over seven standard deviations.
  for (const count of counts.values()) {
    expect(Math.abs(count - 1500)).toBeLessThan(300);
  }
});

test("any other text is no id, whatever was changed, added or left out", () => {
  const id = createIdentifier("tst");
  const change = fc.record({
    at: fc.nat({ max: id.length }),
    removed: fc.nat({ max: 2 }),
    put: fc.string({ maxLength: 2 }),
  });
  fc.assert(
    fc.property(change, ({ at, removed, put }) => {
      const text = id.slice(0, at) + put + id.slice(at + removed);
      expect(isIdentifier("tst", text)).toBe(/^tst_[a-z2-7]{24}$/.test(text));
    }),
  );
});

test.each([
  "",
  "tst_",
  `tst_${"A".repeat(24)}`,
  `tst_${"0".repeat(24)}`,
  `tst_${"a".repeat(23)}\n`,
  `tst-${"a".repeat(24)}`,
  `tst_${"a".repeat(24)}\n`,
  `../${"a".repeat(25)}`,
])("%j is no id", (text) => {
  expect(isIdentifier("tst", text)).toBe(false);
});
