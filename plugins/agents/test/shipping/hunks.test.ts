import { runs } from "@gantry/build/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyBlocks,
  parseHunks,
  restage,
  stagedPart,
  type Block,
} from "../../src/shipping/hunks.ts";

const line = fc.stringMatching(/^[a-c \\+@-]{0,3}\r?$/);
const lines = (minLength: number) =>
  fc.array(line, { minLength, maxLength: 3 });
/** Changes with at least one line that stays before each. */
const changes = fc.array(
  fc.record({ kept: lines(1), removed: lines(0), added: lines(1) }),
  { minLength: 1, maxLength: 5 },
);

/** A file, its patch with a hunk for each change, and what it becomes with some of them. */
function build(
  list: readonly Record<"kept" | "removed" | "added", string[]>[],
) {
  let [before, patch, at] = ["", "--- a/f\n+++ b/f\n", 0];
  for (const { kept, removed, added } of list) {
    before += [...kept, ...removed].map((text) => `${text}\n`).join("");
    at += kept.length;
    const start = removed.length === 0 ? at : at + 1;
    patch += `@@ -${start},${removed.length} +1,${added.length} @@ about\n`;
    patch += removed.map((text) => `-${text}\n`).join("");
    patch += added.map((text) => `+${text}\n`).join("");
    at += removed.length;
  }
  const after = (isStaged: readonly boolean[]) =>
    list
      .flatMap(({ kept, removed, added }, index) => [
        ...kept,
        ...(isStaged[index] ? added : removed),
      ])
      .map((text) => `${text}\n`)
      .join("");
  return { before, patch, after };
}

test("any hunks can be staged and taken out again, in any order", () => {
  fc.assert(
    fc.property(changes, fc.array(fc.nat(4)), (list, toggles) => {
      const { before, patch, after } = build(list);
      const hunks = parseHunks(patch);
      expect(hunks).toHaveLength(list.length);
      const isStaged = list.map(() => false);
      let staged: Block[] = [];
      for (const toggle of toggles) {
        const index = toggle % list.length;
        const hunk = hunks[index]!;
        isStaged[index] = !isStaged[index];
        staged = restage(hunk, staged, isStaged[index]);
        expect(applyBlocks(before, staged)).toBe(after(isStaged));
        expect(hunks.map((each) => stagedPart(each, staged))).toEqual(
          isStaged.map((is) => (is ? "all" : "none")),
        );
      }
    }),
    { numRuns: runs(200) },
  );
});

describe("the patch of a file", () => {
  test("may lack the line end of its last line, before, after or both", () => {
    const marked = (before: string, after: string) =>
      `@@ -1 +1 @@\n-${before}\n+${after}\n`;
    const none = "\\ No newline at end of file\n";
    const [old, now] = marked("a", "b").split(/(?<=-a\n)/) as [string, string];
    const apply = (text: string, patch: string) =>
      applyBlocks(text, parseHunks(patch)[0]!.blocks);
    expect(apply("a", `${old}${none}${now}`)).toBe("b\n");
    expect(apply("a\n", `${old}${now}${none}`)).toBe("b");
    expect(apply("a", `${old}${none}${now}${none}`)).toBe("b");
  });

  test("is not applied to another file", () => {
    const [hunk] = parseHunks("@@ -2 +2 @@\n-b\n+c\n");
    expect(applyBlocks("a\nx\n", hunk!.blocks)).toBe(undefined);
    expect(applyBlocks("a\n", hunk!.blocks)).toBe(undefined);
    expect(applyBlocks("a\nb\n", hunk!.blocks)).toBe("a\nc\n");
  });

  test("has no hunks where nothing but its mode changed", () => {
    expect(parseHunks("diff --git a/f b/f\nold mode 1\nnew mode 2\n")).toEqual(
      [],
    );
  });
});

test("a hunk of which another change was staged counts as staged in part", () => {
  const [hunk] = parseHunks("@@ -1,3 +1,3 @@\n-a\n+b\n x\n-c\n+d\n");
  const other: Block = { at: 0, removed: ["a\n"], added: ["z\n"] };
  expect(stagedPart(hunk!, [other])).toBe("part");
  expect(stagedPart(hunk!, [hunk!.blocks[1]!])).toBe("part");
  expect(restage(hunk!, [other], true)).toEqual(hunk!.blocks);
});
