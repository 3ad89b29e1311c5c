import type { Driver } from "unstorage";
import type { StoreEntry, StoreOperation } from "@gantry/plugin";
import type { ScanOptions } from "./key-range.ts";

type MaybePromise<Value> = Value | Promise<Value>;

/** A change of one key, or a condition of the whole batch. */
export type TextOperation =
  | { readonly type: "set"; readonly key: string; readonly value: string }
  | Exclude<StoreOperation, { readonly type: "set" }>;

/** Gives the events of a batch the numbers that follow the newest one, and makes what is written of them. May be called again. */
export type NumberEvents = (newest: number) => {
  readonly operations: readonly TextOperation[];
  readonly newest: number;
};

/** Hands over changes of a store part by part. Other work of the process runs between two of them. */
export type RewriteWork = (
  write: (operations: readonly TextOperation[]) => Promise<void>,
) => Promise<void>;

/** At most `limit` entries; with `maxLength`, none follows the one with which their texts reach that length. */
export interface TextRange extends ScanOptions {
  maxLength?: number;
}

/** Reads entries in the order of their keys. */
interface RangeReader {
  readRange(range: TextRange): MaybePromise<StoreEntry[]>;
}

/** What a store had at one moment. It is read in ascending order: what lies before an entry that was read may be given up. */
export interface RangeImage extends RangeReader {
  /** Lets go of it; twice is harmless. */
  close(): MaybePromise<void>;
}

/**
 * What a store lies in: an unstorage driver that is a whole store of texts, with ranges in order, atomic batches and images.
 */
export interface RangeDriver extends Driver, RangeReader {
  getItem(key: string): MaybePromise<string | null>;
  /** All keys that begin with a prefix, in order. */
  getKeys(prefix: string): MaybePromise<string[]>;
  /** What lies under several keys, in their order. */
  getTexts(keys: readonly string[]): MaybePromise<(string | undefined)[]>;
  /**
   * Writes all or nothing, and resolves when it is durable. Batches are written in the order in which they come, and their
   * events are numbered as they are written: a batch that is refused uses up no number.
   *
   * @returns the number of its last event
   * @throws with `code` `STORE_CONFLICT` for a key that must be absent
   */
  commit(
    operations: readonly TextOperation[],
    numberEvents?: NumberEvents,
  ): Promise<number>;
  /**
   * Writes what some work hands over once that resolves, and nothing of it if that rejects or the process is killed. Meanwhile
   * reads find what was there before. Batches wait until it is over, and so does the opening of an image.
   *
   * @throws what the work throws; with `code` `STORE_UNSETTLED` if it is not known whether it is durable, which is seen when the
   *   store is opened again
   */
  rewrite(work: RewriteWork): Promise<void>;
  /** Opens an image of what is durable now. */
  openImage(): Promise<RangeImage>;
  dispose(): MaybePromise<void>;
}
