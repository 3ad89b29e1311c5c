import type { Driver } from "unstorage";
import type { StoreEntry } from "@gantry/plugin";
import type { EngineImage } from "./engine-image.ts";
import type { ScanOptions } from "./key-range.ts";
import type { EngineOperation, Entry } from "./stored-value.ts";
import { openPlainEngine } from "./unstorage/plain-engine.ts";

/**
 * The whole store: ordered keys, objects as values, atomic batches. Only the kernel sees it, and only a driver knows what
 * it lies in. What lies there and is no object of ours, cut short by some fault say, is given as {@link Unreadable}.
 */
export interface Engine {
  get(key: string): Promise<object | undefined>;
  /** The values of several keys, in their order. */
  getMany(keys: readonly string[]): Promise<(object | undefined)[]>;
  /** What lies under several keys as text, in their order. */
  getTexts(keys: readonly string[]): Promise<(string | undefined)[]>;
  scan(options: ScanOptions): Promise<Entry[]>;
  keys(prefix: string): Promise<string[]>;
  /**
   * Writes all or nothing, and resolves when it is durable.
   *
   * @throws `STORE_CONFLICT` for a key that must be absent, `STORAGE_FULL`, `STORAGE_UNAVAILABLE`
   */
  commit(operations: readonly EngineOperation[]): Promise<void>;
  /** Opens an image of what is durable now. @throws `STORAGE_UNAVAILABLE` */
  openImage(): Promise<EngineImage>;
  /** Writes texts as they are, and removes keys, as one batch. */
  putTexts(
    entries: readonly StoreEntry[],
    removed: readonly string[],
  ): Promise<void>;
  close(): Promise<void>;
}

/** A driver of ours: an unstorage driver that is a whole store, with ranges in order, atomic batches and images. */
export interface EngineDriver extends Driver, Engine {}

/**
 * Opens a store on an unstorage driver. A driver of ours is one; with any other, ranges are cut out of its list of keys
 * and a batch is written ahead into a journal that is replayed after a crash.
 */
export async function openEngine(driver: Driver): Promise<Engine> {
  return isEngineDriver(driver) ? driver : openPlainEngine(driver);
}

function isEngineDriver(driver: Driver): driver is EngineDriver {
  return "commit" in driver && "openImage" in driver;
}
