import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toDiffFiles } from "../../ui/repository/diffFile.ts";
import {
  findLineRow,
  placeOfRow,
  rowOfLine,
  toLineRows,
  type Row,
} from "../../ui/repository/diffRows.ts";
import {
  parsePatch,
  type NumberedLine,
} from "../../ui/repository/parsePatch.ts";

const NOTHING: ReadonlySet<number> = new Set();

/** Hunks of any lines, numbered as git numbers them. */
const anyLines = fc
  .array(fc.array(fc.constantFrom("-", "+", " ")), { maxLength: 5 })
  .map((hunks) => {
    const at = { before: 1, after: 1 };
    return hunks.flatMap((signs): NumberedLine[] => [
      { sign: "@", text: "Line", before: null, after: null },
      ...signs.map((sign) => ({
        sign,
        text: `${sign}${at.before}${at.after}`,
        before: sign === "+" ? null : at.before++,
        after: sign === "-" ? null : at.after++,
      })),
    ]);
  });

const indexesOf = (lines: readonly NumberedLine[], signs: string) =>
  lines.flatMap(({ sign }, index) => (signs.includes(sign) ? [index] : []));

/** The lines of rows in order, of one side where they have two. */
const shownIn = (rows: readonly Row[], side: "before" | "after") =>
  rows.flatMap((row) => {
    const line =
      row.kind === "pair" ? row[side] : "line" in row ? row.line : -1;
    return row.kind !== "comment" && row.kind !== "hunk" && line >= 0
      ? [line]
      : [];
  });

describe("rows of a difference", () => {
  test("show each line once and in order, one below the other and side by side", () => {
    fc.assert(
      fc.property(anyLines, (lines) => {
        const all = toLineRows(lines, { isSplit: false, commented: NOTHING });
        expect(shownIn(all, "after")).toEqual(indexesOf(lines, "-+ "));
        const rows = toLineRows(lines, { isSplit: true, commented: NOTHING });
        expect(shownIn(rows, "before")).toEqual(indexesOf(lines, "- "));
        expect(shownIn(rows, "after")).toEqual(indexesOf(lines, "+ "));
        for (const each of [all, rows])
          expect(
            each.flatMap((row) => (row.kind === "hunk" ? [row.line] : [])),
          ).toEqual(indexesOf(lines, "@"));
      }),
    );
  });

  test("are found by their line, also by that of the other layout", () => {
    fc.assert(
      fc.property(anyLines, fc.boolean(), (lines, isSplit) => {
        const commented = NOTHING;
        const rows = toLineRows(lines, { isSplit, commented });
        const others = toLineRows(lines, { isSplit: !isSplit, commented });
        for (const line of indexesOf(lines, "-+ ")) {
          const at = rowOfLine(rows, line);
          expect(
            shownIn(rows.slice(at, at + 1), "before").concat(
              shownIn(rows.slice(at, at + 1), "after"),
            ),
          ).toContain(line);
          const place = placeOfRow(lines, rows, at);
          expect(place?.row).toBe(at);
          const there = place && findLineRow(lines, others, place);
          expect(there).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  test("have a comment below its line, on either side", () => {
    fc.assert(
      fc.property(anyLines, fc.boolean(), (lines, isSplit) => {
        const commented = new Set(indexesOf(lines, "-+ "));
        const rows = toLineRows(lines, { isSplit, commented });
        const said = rows.flatMap((row) =>
          row.kind === "comment" ? [row.line] : [],
        );
        expect(said.toSorted((one, other) => one - other)).toEqual([
          ...commented,
        ]);
        for (const line of said)
          expect(rowOfLine(rows, line)).toBeLessThan(
            rows.findIndex(
              (row) => row.kind === "comment" && row.line === line,
            ),
          );
      }),
    );
  });

  test("of what is new are the hunks that it is in", () => {
    const [{ lines } = { lines: [] }] = parsePatch(
      "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9,2 @@\n c\n+d\n",
    );
    const only = new Set([5]);
    expect(
      toLineRows(lines, { isSplit: false, commented: NOTHING, only }),
    ).toEqual([
      { kind: "hunk", line: 3 },
      { kind: "line", line: 4 },
      { kind: "line", line: 5 },
    ]);
    expect(
      toLineRows(lines, { isSplit: false, commented: NOTHING, only: NOTHING }),
    ).toEqual([]);
  });
});

test("a file that is as it was is not prepared again, two of one path are two", () => {
  const patch = (text: string) =>
    `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+${text}\n`;
  const before = toDiffFiles(patch("b") + patch("c"), []);
  const now = toDiffFiles(patch("b") + patch("d"), before);
  expect(new Set(now.map(({ id }) => id)).size).toBe(2);
  expect([now[0] === before[0], now[1] === before[1]]).toEqual([true, false]);
});
