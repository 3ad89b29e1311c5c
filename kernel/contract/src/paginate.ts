import { defineErrors } from "./errors.ts";
import type { GantryError } from "./errors.ts";
import type { Page } from "./store.ts";

/** The errors of {@link paginate}. They belong to the kernel's error table, so a plugin need not declare them. */
export const pageErrors = defineErrors({
  BAD_CURSOR: {
    status: 400,
    title: "Bad cursor",
    detail:
      "The cursor is not one that this listing gave; start again without it.",
  },
});

/** The part of a list that a client requests: the fields of `pageQuery`. */
export interface PageRequest {
  limit: number;
  cursor?: string;
}

/** Options of {@link paginate}. */
export interface PaginateOptions {
  /** Order by key; defaults to `descending`, which is newest first. */
  order?: "descending" | "ascending";
  /** Creates the error for a bad cursor, for an operation with its own code; defaults to `BAD_CURSOR`. */
  badCursor?: () => GantryError;
}

/**
 * Returns one page of a list in memory. Items are sorted by key, and a page starts after the last key of the previous page,
 * so that no item is missed or repeated when others are added or removed in between.
 *
 * @param keyOf Returns a key that is unique among the items, such as `createdAt` and the id. For a list that does not change
 *   while the daemon runs, `({}, index) => positionKey(index)` keeps its order.
 * @throws `BAD_CURSOR` (400) for an invalid cursor
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

/** Returns a key for {@link paginate} that sorts items by their position. Use it with `order: "ascending"`. */
export function positionKey(index: number): string {
  return String(index).padStart(10, "0");
}

/** Base64url of UTF-8, without Node's APIs. */
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
