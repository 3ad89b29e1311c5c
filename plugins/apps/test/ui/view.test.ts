import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyLines } from "../../ui/blocks/keyLines.ts";
import { seriesColours } from "../../ui/blocks/seriesColours.ts";
import { moveItem } from "../../ui/grid/moveItem.ts";
import { appAddress, appApi, appRoute } from "../../ui/view/appRoute.ts";
import { keyBlocks } from "../../ui/view/keyBlocks.ts";
import type { Block, LogLine } from "../../ui/wire.ts";

const table = (title: string, ...columns: string[]): Block => ({
  type: "table",
  title,
  columns: columns.map((key) => ({
    key,
    label: key,
    align: "start",
    isSortable: true,
    isMinor: false,
  })),
  rows: [],
  empty: "",
  isSearchable: false,
  selection: [],
});
const form = (action: string): Block => ({
  type: "form",
  action,
  submit: "Save",
  args: {},
  fields: [{ type: "switch", name: "on", label: "On", value: false }],
});
const text = (content: string): Block => ({ type: "markdown", text: content });

describe("what blocks are known by", () => {
  test("a title that changes and a block that comes before change nothing", () => {
    const before = keyBlocks([table("3 programs", "name"), form("save")]);
    const after = keyBlocks([
      text("Something is wrong"),
      form("repair"),
      table("4 programs", "name"),
      form("save"),
    ]);
    expect(after.at(2)?.key).toBe(before[0]?.key);
    expect(after.at(3)?.key).toBe(before[1]?.key);
  });

  test("blocks of one kind are distinguished, whatever they are called", () => {
    const block = fc.oneof(
      fc.constantFrom("save", "list", "table", "markdown-2").map(form),
      fc
        .array(fc.constantFrom("name", "cpu"), { maxLength: 2 })
        .map((columns) => table("Programs", ...columns)),
      fc.constant(text("Words")),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), (blocks) => {
        const keyed = keyBlocks(blocks, { key: "outer", name: "outer" });
        expect(new Set(keyed.map(({ key }) => key)).size).toBe(blocks.length);
        expect(new Set(keyed.map(({ name }) => name)).size).toBe(blocks.length);
        for (const { name } of keyed)
          expect(name).toMatch(/^outer\.[a-z]+(-\d+)?$/);
      }),
    );
  });
});

describe("where pages are", () => {
  test("a path stands in the query, whatever is in it", () => {
    expect(appRoute("docker")).toEqual({ path: "/apps/docker", query: {} });
    expect(appAddress("docker")).toBe("/apps/docker");
    const address = new URL(appAddress("docker", "a?b=c&d#e/é"), "http://x");
    expect(address.searchParams.get("path")).toBe("a?b=c&d#e/é");
    expect(appApi("../x", "view")).toBe("/api/apps/..%2Fx/view");
  });
});

describe("lines of a log", () => {
  const line = (content: string): LogLine => ({
    text: content,
    tone: "neutral",
  });

  test("keep what they are known by when old ones are left out", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "c").map(line), { maxLength: 30 }),
        fc.nat(30),
        (lines, dropped) => {
          const all = keyLines(lines);
          expect(new Set(all.map(({ key }) => key)).size).toBe(lines.length);
          expect(keyLines(lines.slice(dropped))).toEqual(all.slice(dropped));
        },
      ),
    );
  });
});

test("series without a meaning have colours that tell them apart", () => {
  expect(seriesColours(["neutral", "failed", "neutral", "neutral"])).toEqual([
    "primary",
    "failed",
    "second",
    "neutral",
  ]);
});

test("an item that is moved leaves the others in their order", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 8 }),
      fc.nat(7),
      fc.integer({ min: -3, max: 12 }),
      (items, at, to) => {
        const from = at % items.length;
        const moved = moveItem(items, from, to);
        const target = Math.max(0, Math.min(to, items.length - 1));
        expect(moved[target]).toBe(items[from]);
        const rest = (list: number[]) =>
          list.filter((item) => item !== items[from]);
        expect(rest(moved)).toEqual(rest(items));
      },
    ),
  );
});
