import type { Collection, Page } from "@gantry/plugin";
import type { Snippet } from "../contract.ts";
import type { SnippetQuery } from "./catalog.ts";
import { readCursor, writeCursor } from "./place.ts";

/** Most records that the store returns at once. */
const MAX_PAGE = 500;

/**
 * Reads a page of all snippets, or of those of one kind, newest first, from the indexes of the store.
 *
 * @throws `SNIPPET_CURSOR_INVALID`
 */
export async function readNewest(
  snippets: Pick<Collection<Snippet>, "list">,
  { kind, limit, cursor }: Pick<SnippetQuery, "kind" | "limit" | "cursor">,
): Promise<Page<Snippet>> {
  const place = cursor === undefined ? undefined : readCursor(cursor);
  const prefix = kind === undefined ? [] : [kind];
  const range = {
    index: kind === undefined ? "newest" : "kind",
    prefix,
    ...(place && { before: [...prefix, place.createdAt, place.id] }),
  };
  const items: Snippet[] = [];
  let next: string | undefined;
  do {
    const page = await snippets.list({
      ...range,
      // The one at the cursor may still be there, and one more than is asked for tells that there is a next page.
      limit: Math.min(MAX_PAGE, limit + 2 - items.length),
      cursor: next,
    });
    items.push(...page.items.filter(({ id }) => id !== place?.id));
    next = page.nextCursor ?? undefined;
  } while (next !== undefined && items.length <= limit);
  const last = items.length > limit ? items[limit - 1] : undefined;
  return {
    items: items.slice(0, limit),
    nextCursor: last ? writeCursor(last) : null,
  };
}
