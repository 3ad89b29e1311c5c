import type { Driver } from "unstorage";
import type { SqliteImage } from "./sqlite-image.ts";
import type { ScanOptions } from "./key-range.ts";

/** A change of one key, its value already serialised, or a condition of the whole batch. */
export type WireOperation =
  | { readonly type: "set"; readonly key: string; readonly value: string }
  | { readonly type: "remove"; readonly key: string }
  | {
      readonly type: "absent";
      readonly key: string;
      readonly isPrefix?: boolean;
    };

/** An unstorage driver that can also read a range in order and write a batch atomically. */
export interface RangeDriver extends Driver {
  scan(options: ScanOptions): { key: string; value: string }[];
  /** The values of several keys, in their order; `undefined` for a key that is not there. */
  getMany(keys: readonly string[]): (string | undefined)[];
  /** Resolves when all of it is on disk; rejects with nothing written, and with {@link ConflictError} for a condition. */
  commit(operations: readonly WireOperation[]): Promise<void>;
  /** Opens an image of what is on disk now. */
  openImage(): Promise<SqliteImage>;
}

/** A batch was refused because a key is there that it must not find. */
export class ConflictError extends Error {
  readonly key: string;
  constructor(key: string) {
    super(`There is a value under ${key}.`);
    this.key = key;
  }
}

/** Tells whether a driver is one of ours. */
export function isRangeDriver(driver: Driver): driver is RangeDriver {
  return "scan" in driver && "commit" in driver;
}
