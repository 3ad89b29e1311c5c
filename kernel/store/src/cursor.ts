import { errors } from "@gantry/system/errors";
import { rangeBehind } from "./key-range.ts";
import type { KeyRange } from "./key-range.ts";

/** Longest cursor that is looked at. */
const MAX_CURSOR_LENGTH = 1024;

/** Makes an opaque cursor of the key at which a page ended. */
export function encodeCursor(key: string): string {
  return Buffer.from(key).toString("base64url");
}

/** What is left of a range behind a cursor, if there is one. @throws `BAD_CURSOR` for one that is not of this range. */
export function continueRange(
  range: KeyRange,
  cursor: string | undefined,
  reverse: boolean,
): KeyRange {
  if (cursor === undefined) return range;
  const key = decodeCursor(cursor);
  if (key < range.from || key >= range.to) throw errors.BAD_CURSOR();
  return rangeBehind(range, key, reverse);
}

function decodeCursor(cursor: string): string {
  const key =
    cursor.length > MAX_CURSOR_LENGTH
      ? ""
      : Buffer.from(cursor, "base64url").toString();
  if (key === "" || encodeCursor(key) !== cursor) throw errors.BAD_CURSOR();
  return key;
}
