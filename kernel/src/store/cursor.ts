import { errors } from "../errors.ts";

/** Longest cursor that is looked at. */
const LONGEST_CURSOR = 1024;

/** Makes an opaque cursor of the key at which a page ended. */
export function encodeCursor(key: string): string {
  return Buffer.from(key).toString("base64url");
}

/** The key in a cursor. @throws `BAD_CURSOR` for a text that is none. */
export function decodeCursor(cursor: string): string {
  const key =
    cursor.length > LONGEST_CURSOR
      ? ""
      : Buffer.from(cursor, "base64url").toString();
  if (key === "" || encodeCursor(key) !== cursor) throw errors.BAD_CURSOR();
  return key;
}
