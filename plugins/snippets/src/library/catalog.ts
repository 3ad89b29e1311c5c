import type { Page } from "@gantry/plugin";
import type { Snippet, SnippetKind } from "../contract.ts";
import { errors } from "../errors.ts";

/** What a listing asks for. */
export interface SnippetQuery {
  /** Words that all have to be in the title, slug, tags, description or body. */
  q?: string;
  kind?: SnippetKind;
  tag?: string;
  limit: number;
  cursor?: string;
}

/** What is known of a snippet without reading it. */
interface Entry {
  id: string;
  createdAt: string;
  revision: number;
  kind: SnippetKind;
  tags: readonly string[];
  /** All that is searched, in lower case; `null` if it is too long to be kept. */
  text: string | null;
}

/** Longest text that is kept for the search. A longer one is read when it is searched. */
const MAX_KEPT_LENGTH = 16_384;

/** Knows all snippets in memory, newest first, so that a search reads only what it finds. */
export interface Catalog {
  put(snippet: Snippet): void;
  drop(id: string): void;
  /**
   * The ids of a page of what a query finds.
   *
   * @param read Reads a snippet whose text is not kept.
   * @throws `SNIPPET_CURSOR_INVALID`
   */
  find(
    query: SnippetQuery,
    read: (id: string) => Promise<Snippet | undefined>,
  ): Promise<Page<string>>;
}

/** Makes a catalog without entries. */
export function createCatalog(): Catalog {
  const entries = new Map<string, Entry>();
  /** All entries in order; made again when it is asked for after a change. */
  let ordered: Entry[] | undefined;

  function toOrdered(): Entry[] {
    return (ordered ??= [...entries.values()].sort(compare));
  }

  return {
    put(snippet) {
      const known = entries.get(snippet.id);
      // Two changes of one snippet may be reported in the wrong order.
      if (known && known.revision > snippet.revision) return;
      entries.set(snippet.id, toEntry(snippet));
      ordered = undefined;
    },
    drop(id) {
      entries.delete(id);
      ordered = undefined;
    },
    async find({ q = "", kind, tag, limit, cursor }, read) {
      const words = q.toLowerCase().split(/\s+/).filter(Boolean);
      const wantedTag = tag?.toLowerCase();
      const all = toOrdered();
      const found: Entry[] = [];
      for (
        let at = cursor === undefined ? 0 : behind(all, cursor);
        at < all.length;
        at += 1
      ) {
        const entry = all[at] as Entry;
        if (kind !== undefined && entry.kind !== kind) continue;
        if (wantedTag !== undefined && !entry.tags.includes(wantedTag))
          continue;
        if (words.length > 0) {
          const text = entry.text ?? toText(await read(entry.id));
          if (!words.every((word) => text.includes(word))) continue;
        }
        found.push(entry);
        // One more than is asked for tells that there is a next page.
        if (found.length > limit) break;
      }
      const last = found.length > limit ? found[limit - 1] : undefined;
      return {
        items: found.slice(0, limit).map(({ id }) => id),
        nextCursor: last ? toCursor(last) : null,
      };
    },
  };
}

/** Newest first; those of one moment by their ids, so that the order is always the same. */
function compare(one: Place, other: Place): number {
  if (one.createdAt !== other.createdAt)
    return one.createdAt < other.createdAt ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}

type Place = Pick<Entry, "createdAt" | "id">;

function toCursor({ createdAt, id }: Place): string {
  return Buffer.from(`${createdAt} ${id}`).toString("base64url");
}

/** Where the list continues after a cursor, also if the snippet that it names is gone. */
function behind(all: readonly Entry[], cursor: string): number {
  const [createdAt = "", id = "", ...rest] = Buffer.from(cursor, "base64url")
    .toString()
    .split(" ");
  const place = { createdAt, id };
  if (rest.length > 0 || id === "" || toCursor(place) !== cursor)
    throw errors.SNIPPET_CURSOR_INVALID();
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = all[middle] as Entry;
    if (entry.id === id || compare(entry, place) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function toEntry(snippet: Snippet): Entry {
  const { id, createdAt, revision, kind, tags } = snippet;
  const text = toText(snippet);
  return {
    id,
    createdAt,
    revision,
    kind,
    tags: tags.map((tag) => tag.toLowerCase()),
    text: text.length > MAX_KEPT_LENGTH ? null : text,
  };
}

function toText(snippet: Snippet | undefined): string {
  if (!snippet) return "";
  const { title, slug, tags, description, body } = snippet;
  return [title, slug, ...tags, description ?? "", body]
    .join("\n")
    .toLowerCase();
}
