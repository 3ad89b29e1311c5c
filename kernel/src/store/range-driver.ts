import type { Driver } from "unstorage";

/** A change of one key, its value already serialised. */
export type WireOperation =
  | { readonly type: "set"; readonly key: string; readonly value: string }
  | { readonly type: "remove"; readonly key: string };

/** A range of keys, `from` inclusive and `to` exclusive, in code point order. */
export interface ScanOptions {
  from: string;
  to: string;
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
export function keyRange(prefix: string): { from: string; to: string } {
  // Encoded keys are ASCII, so the highest code point ends every prefix.
  return { from: prefix, to: `${prefix}\u{10FFFF}` };
}
