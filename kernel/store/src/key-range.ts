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

/** The keys that an `absent` condition is about. */
export function absentRange({
  key,
  isPrefix = false,
}: {
  key: string;
  isPrefix?: boolean;
}): KeyRange {
  return isPrefix ? keyRange(key) : { from: key, to: `${key}\u0000` };
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
