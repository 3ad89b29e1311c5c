import { defineErrors } from "./errors.ts";
import type { GantryError } from "./errors.ts";
import type { Page } from "./store.ts";

/** The errors of {@link paginate}. They are rows of the kernel's table, so a plugin need not list them in its own. */
export const pageErrors = defineErrors({
  BAD_CURSOR: {
    status: 400,
    title: "Bad cursor",
    detail:
      "The cursor is not one that this listing gave; start again without it.",
  },
});

/** Which part of a list a client asks for: the fields of `pageQuery`. */
export interface PageRequest {
  /** Largest number of items of the page. */
  limit: number;
  /** `nextCursor` of the page before; the first page without it. */
  cursor?: string;
}

/** How {@link paginate} orders a list, and what it throws. */
export interface PaginateOptions {
  /** By key; largest (newest) first unless given. */
  order?: "descending" | "ascending";
  /** Instead of `BAD_CURSOR`, for an operation that has a code of its own. */
  badCursor?: () => GantryError;
}

/**
 * One page of a list that is held in memory. Items are ordered by their keys, and a page continues after the key at which
 * the one before ended, so that no item is missed or repeated when others are added or removed in between.
 *
 * @param keyOf Unique among the items, such as `createdAt` and the id. For a list that does not change while the daemon
 *   runs, `({}, index) => positionKey(index)` keeps its own order.
 * @throws `BAD_CURSOR` (400) for a text that is no cursor
 *
 * @example
 * query: pageQuery,
 * returns: pageOf(Draft),
 * handle: ({ query }) => paginate(drafts, query, ({ createdAt, id }) => createdAt + id),
 */
export function paginate<Item>(
  items: readonly Item[],
  { limit, cursor }: PageRequest,
  keyOf: (item: Item, index: number) => string,
  {
    order = "descending",
    badCursor = pageErrors.BAD_CURSOR,
  }: PaginateOptions = {},
): Page<Item> {
  const isBehind = (key: string, other: string) =>
    order === "ascending" ? key > other : key < other;
  const start = cursor === undefined ? undefined : decodeCursor(cursor);
  if (cursor !== undefined && start === undefined) throw badCursor();
  const rest = items
    .map((item, index) => ({ item, key: keyOf(item, index) }))
    .filter(({ key }) => start === undefined || isBehind(key, start))
    .sort((one, other) =>
      one.key === other.key ? 0 : isBehind(one.key, other.key) ? 1 : -1,
    );
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ item }) => item),
    nextCursor: last && rest.length > limit ? encodeCursor(last.key) : null,
  };
}

/** A key that orders by position, ascending. */
export function positionKey(index: number): string {
  return String(index).padStart(10, "0");
}

/** Base64url of UTF-8, without APIs of Node. */
function encodeCursor(key: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(key)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

function decodeCursor(cursor: string): string | undefined {
  try {
    const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const key = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return key !== "" && encodeCursor(key) === cursor ? key : undefined;
  } catch {
    // Not base64, or not UTF-8.
    return undefined;
  }
}
