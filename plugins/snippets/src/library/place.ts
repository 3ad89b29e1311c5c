import { errors } from "../errors.ts";

/** Where a snippet is in the list. */
export interface Place {
  createdAt: string;
  id: string;
}

/** Orders snippets newest first; those of one moment by their ids, so that the order is always the same. */
export function comparePlaces(one: Place, other: Place): number {
  if (one.createdAt !== other.createdAt)
    return one.createdAt < other.createdAt ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}

/** Makes the opaque cursor of a page that ends at a place. */
export function writeCursor({ createdAt, id }: Place): string {
  return Buffer.from(`${createdAt} ${id}`).toString("base64url");
}

/** The place that a cursor names. @throws `SNIPPET_CURSOR_INVALID` */
export function readCursor(cursor: string): Place {
  const [createdAt = "", id = "", ...rest] = Buffer.from(cursor, "base64url")
    .toString()
    .split(" ");
  const place = { createdAt, id };
  if (rest.length > 0 || id === "" || writeCursor(place) !== cursor)
    throw errors.SNIPPET_CURSOR_INVALID();
  return place;
}
