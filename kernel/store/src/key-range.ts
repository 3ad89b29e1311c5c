import { errors } from "@gantry/system/errors";

/** Longest cursor that is looked at. */
const MAX_CURSOR_LENGTH = 1024;

/** A range of keys, `from` inclusive and `to` exclusive, in code point order. */
export interface KeyRange {
  from: string;
  to: string;
}

/** What to read of a range, and from which end. */
export interface ScanOptions extends KeyRange {
  limit: number;
  reverse: boolean;
}

/** The range of all keys that begin with a prefix. */
export function keyRange(prefix: string): KeyRange {
  // Encoded keys are ASCII, so the highest code point ends every prefix.
  return { from: prefix, to: `${prefix}\u{10FFFF}` };
}

/** What is left of a range behind a key of it, which was the last that was read. */
export function rangeBehind(
  range: KeyRange,
  key: string,
  reverse: boolean,
): KeyRange {
  return reverse ? { ...range, to: key } : { ...range, from: `${key}\u0000` };
}

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
  if (cursor.length > MAX_CURSOR_LENGTH) throw errors.BAD_CURSOR();
  const key = Buffer.from(cursor, "base64url").toString();
  const isInRange = key !== "" && key >= range.from && key < range.to;
  if (!isInRange || encodeCursor(key) !== cursor) throw errors.BAD_CURSOR();
  return rangeBehind(range, key, reverse);
}
