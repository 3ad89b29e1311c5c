import type { Driver } from "unstorage";

/** A change of one key, its value already serialised. */
export type WireOperation =
  | { readonly type: "set"; readonly key: string; readonly value: string }
  | { readonly type: "remove"; readonly key: string };

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

/** An unstorage driver that can also read a range in order and write a batch atomically. */
export interface RangeDriver extends Driver {
  scan(options: ScanOptions): { key: string; value: string }[];
  /** Resolves when all of it is on disk; rejects with nothing written. */
  commit(operations: readonly WireOperation[]): Promise<void>;
}

/** Tells whether a driver is one of ours. */
export function isRangeDriver(driver: Driver): driver is RangeDriver {
  return "scan" in driver && "commit" in driver;
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
