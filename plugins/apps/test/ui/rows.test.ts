import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareCells } from "../../ui/cells/compareCells.ts";
import { actionsWidth } from "../../ui/rows/actionsWidth.ts";
import { columnWidths } from "../../ui/rows/columnWidths.ts";
import {
  filterRows,
  keepOrder,
  readSort,
  sortRows,
  TITLE_KEY,
  writeSort,
  type CellWriter,
} from "../../ui/rows/filterRows.ts";
import type { Cell, Column, Row } from "../../ui/wire.ts";

/** As the page does it, but for the reader's way of writing numbers. */
const write: CellWriter = (cell) => {
  if (typeof cell === "boolean") return cell ? "Yes" : "No";
  if (typeof cell !== "object" || cell === null) return String(cell ?? "");
  return "text" in cell ? cell.text : JSON.stringify(cell);
};

const row = (id: string, cells: Row["cells"] = {}, more = {}): Row => ({
  id,
  tone: "neutral",
  cells,
  actions: [],
  ...more,
});
const column = (key: string): Column => ({
  key,
  label: key,
  align: "start",
  isSortable: true,
  isMinor: false,
});
const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

const cell: fc.Arbitrary<Cell | undefined> = fc.oneof(
  fc.constantFrom(undefined, null, ""),
  fc.integer({ min: -5, max: 5 }),
  fc.boolean(),
  fc.constantFrom("a", "B", "a10", "a9"),
  fc.nat(5).map((bytes) => ({ bytes })),
  fc.nat(5).map((percent) => ({ percent })),
  fc.nat(5).map((milliseconds) => ({ milliseconds })),
  fc
    .nat(5)
    .map((ms) => ({ time: new Date(1_700_000_000_000 + ms).toISOString() })),
  fc.constantFrom("x", "y").map((text) => ({ text, path: "" })),
);

describe("sorting", () => {
  test("every two cells have one order, and any three fit together", () => {
    fc.assert(
      fc.property(cell, cell, cell, fc.boolean(), (a, b, c, isDescending) => {
        const compare = (one: typeof a, other: typeof a) =>
          Math.sign(compareCells(one, other, isDescending));
        expect(compare(a, b) + compare(b, a)).toBe(0);
        if (compare(a, b) <= 0 && compare(b, c) <= 0)
          expect(compare(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  test("numbers in texts count as numbers, and what is empty comes last in either direction", () => {
    const rows = [
      row("none", { name: null }),
      row("ten", { name: "a10" }),
      row("nine", { name: "A9" }),
    ];
    const by = (isDescending: boolean) =>
      ids(sortRows(rows, { key: "name", isDescending }));
    expect(by(false)).toEqual(["nine", "ten", "none"]);
    expect(by(true)).toEqual(["ten", "nine", "none"]);
    expect(sortRows(rows, undefined)).toBe(rows);
  });

  test("a sort in the address is read as it was written, or not at all", () => {
    const sort = { key: "cpu", isDescending: true };
    expect(readSort(writeSort(sort), ["cpu"])).toEqual(sort);
    expect(readSort(TITLE_KEY, [TITLE_KEY])).toEqual({
      key: TITLE_KEY,
      isDescending: false,
    });
    expect(readSort("__proto__", ["cpu"])).toBeUndefined();
    expect(readSort(undefined, ["cpu"])).toBeUndefined();
  });

  test("rows that are held stay where they are; new ones come last, lost ones are gone", () => {
    const before = [row("a"), row("b"), row("c")];
    const after = [row("d"), row("c"), row("a")];
    expect(ids(keepOrder(before, after))).toEqual(["a", "c", "d"]);
  });
});

test("a search finds rows in which each word is, as the reader sees it", () => {
  const rows = [
    row("one", { size: { bytes: 12_400 }, up: true }, { title: "Postgres" }),
    row("two", { state: { text: "Restarting", tone: "failed" } }),
  ];
  const find = (query: string) => ids(filterRows(rows, query, write));
  expect(find("")).toEqual(["one", "two"]);
  expect(find("12400 POSTGRES")).toEqual(["one"]);
  expect(find("yes")).toEqual(["one"]);
  expect(find("restart")).toEqual(["two"]);
  expect(find("restart postgres")).toEqual([]);
});

describe("widths", () => {
  test("columns only grow while their values change", () => {
    const columns = [column("name"), column("size")];
    const wide = columnWidths(
      columns,
      [row("a", { name: "x".repeat(30) })],
      write,
    );
    expect(wide.get("name")).toBe(30);
    const narrow = columnWidths(
      columns,
      [row("a", { name: "x" })],
      write,
      wide,
    );
    expect(narrow.get("name")).toBe(30);
    expect(narrow.get("size")).toBe("size".length + 2);
  });

  test("there is room for an icon before the first cell, and behind an address", () => {
    const url = { text: "12345678", url: "https://example.com" };
    const plain = columnWidths([column("a")], [row("r", { a: url })], write);
    const marked = columnWidths(
      [column("a")],
      [row("r", { a: url }, { icon: "i-lucide-box" })],
      write,
    );
    expect([plain.get("a"), marked.get("a")]).toEqual([11, 14]);
  });

  test("actions have as much room as those of any row", () => {
    const button = (label: string) => ({
      label,
      action: "x",
      args: {},
      isDanger: false,
      isDisabled: false,
    });
    const rows = [
      row("a"),
      row("b", {}, { actions: [button("Stop"), button("Go")] }),
    ];
    expect(actionsWidth([row("a")], 1)).toBe(0);
    expect(actionsWidth(rows, 1)).toBeGreaterThan(actionsWidth(rows, 0));
  });
});
