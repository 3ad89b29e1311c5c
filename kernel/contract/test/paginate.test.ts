import fc from "fast-check";
import { expect, test } from "vitest";
import { paginate, positionKey } from "../src/paginate.ts";
import type { PaginateOptions } from "../src/paginate.ts";

const identity = (key: string) => key;
const orders = fc.constantFrom("ascending" as const, "descending" as const);

/** Follows the cursors from the first page to the last. */
function readAll(
  itemsAt: (page: number) => readonly string[],
  limit: number,
  options: PaginateOptions = {},
): string[] {
  const read: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; ; page++) {
    const { items, nextCursor } = paginate(
      itemsAt(page),
      { limit, cursor },
      identity,
      options,
    );
    expect(items.length).toBeLessThanOrEqual(limit);
    read.push(...items);
    if (nextCursor === null) return read;
    expect(nextCursor).toMatch(/^[\w-]+$/);
    cursor = nextCursor;
  }
}

const keys = fc.uniqueArray(
  fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
  { maxLength: 40 },
);

test("the pages together are the list in its order, each item once", () => {
  fc.assert(
    fc.property(
      keys,
      fc.integer({ min: 1, max: 12 }),
      orders,
      (list, limit, order) => {
        const sorted = [...list].sort((a, b) => (a < b ? -1 : 1));
        if (order === "descending") sorted.reverse();
        expect(readAll(() => list, limit, { order })).toEqual(sorted);
      },
    ),
  );
});

test("whatever comes and goes between two pages, what stays is read once", () => {
  fc.assert(
    fc.property(
      keys,
      fc.array(keys, { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 5 }),
      (stays, passing, limit) => {
        const isNew = (key: string) => !stays.includes(key);
        const read = readAll(
          (page) => [
            ...stays,
            ...(passing[page % passing.length] ?? []).filter(isNew),
          ],
          limit,
        );
        expect(new Set(read).size).toBe(read.length);
        expect(read.filter((key) => !isNew(key)).sort()).toEqual(
          [...stays].sort(),
        );
      },
    ),
  );
});

test("newest first unless told otherwise; the last page has no cursor", () => {
  const list = ["a", "c", "b"];
  expect(paginate(list, { limit: 3 }, identity)).toEqual({
    items: ["c", "b", "a"],
    nextCursor: null,
  });
  expect(paginate([], { limit: 3 }, identity)).toEqual({
    items: [],
    nextCursor: null,
  });
  const { nextCursor } = paginate(list, { limit: 1 }, identity);
  expect(nextCursor).toEqual(expect.any(String));
});

test("a list keeps its own order with the position as its key", () => {
  const list = Array.from({ length: 12 }, (_, index) => `item ${12 - index}`);
  const key = (_: string, index: number) => positionKey(index);
  const first = paginate(list, { limit: 11 }, key, { order: "ascending" });
  expect(first.items).toEqual(list.slice(0, 11));
  const cursor = first.nextCursor ?? "";
  expect(
    paginate(list, { limit: 11, cursor }, key, { order: "ascending" }),
  ).toEqual({ items: ["item 1"], nextCursor: null });
});

test("a text that is no cursor is refused", () => {
  for (const cursor of [
    "",
    "lost",
    "a",
    "YQ==",
    "YQ=",
    "Y Q",
    "é",
    "\0",
    "%41",
  ])
    expect(
      () => paginate(["a"], { limit: 1, cursor }, identity),
      cursor,
    ).toThrow(
      expect.objectContaining({ code: "BAD_CURSOR", status: 400 }) as Error,
    );
});
