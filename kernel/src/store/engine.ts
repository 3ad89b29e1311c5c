import { createStorage } from "unstorage";
import type { Driver } from "unstorage";
import type { StoreOperation } from "@gantry/plugin";
import { isRangeDriver } from "./range-driver.ts";
import type { RangeDriver, ScanOptions } from "./range-driver.ts";
import { createJournal } from "./journal.ts";
import { toStorageError } from "./storage-error.ts";

/** An entry of the store. */
export interface Entry {
  key: string;
  value: object;
}

/**
 * The whole store: ordered keys, objects as values, atomic batches. Only the kernel sees it. What lies there and is no
 * object of ours, cut short by some fault say, is given as {@link Unreadable}.
 */
export interface Engine {
  get(key: string): Promise<object | undefined>;
  /** The values of several keys, in their order. */
  getMany(keys: readonly string[]): Promise<(object | undefined)[]>;
  scan(options: ScanOptions): Promise<Entry[]>;
  keys(prefix: string): Promise<string[]>;
  /** Writes all or nothing, and resolves when it is durable. @throws `STORE_CONFLICT` for a key that must be absent */
  commit(operations: readonly StoreOperation[]): Promise<void>;
  close(): Promise<void>;
}

/** Stands for a value that cannot be read. */
export class Unreadable {
  readonly content: unknown;
  constructor(content: unknown) {
    this.content = content;
  }
}

/**
 * Opens a store on an unstorage driver. Our own driver does ranges and batches itself; with any other one, ranges are
 * cut out of its list of keys and a batch is written ahead into a journal that is replayed after a crash.
 */
export async function openEngine(driver: Driver): Promise<Engine> {
  const engine = isRangeDriver(driver)
    ? createRangeEngine(driver)
    : await openPlainEngine(driver);
  return {
    ...engine,
    commit: (operations) =>
      engine.commit(operations).catch((error: unknown) => {
        throw toStorageError(error);
      }),
  };
}

function createRangeEngine(driver: RangeDriver): Engine {
  return {
    get: async (key) => parse(await driver.getItem(key)),
    getMany: async (keys) => driver.getMany(keys).map(parse),
    keys: async (prefix) => driver.getKeys(prefix, {}),
    async scan(options) {
      return driver
        .scan(options)
        .map(({ key, value }) => ({ key, value: parse(value) ?? {} }));
    },
    async commit(operations) {
      const wire = operations.map((operation) =>
        operation.type === "set"
          ? { ...operation, value: JSON.stringify(operation.value) }
          : operation,
      );
      await driver.commit(wire);
    },
    close: async () => driver.dispose?.(),
  };
}

async function openPlainEngine(driver: Driver): Promise<Engine> {
  const storage = createStorage({ driver });
  // Asked directly: unstorage's own reading drops some fields and takes texts for numbers.
  const get = async (key: string) => parse(await driver.getItem(key));
  // Its `getKeys` takes whole parts only for a prefix.
  const keys = async (prefix: string) =>
    (await storage.getKeys()).filter((key) => key.startsWith(prefix)).sort();
  const journal = createJournal({
    get,
    keys,
    set: (key, value) => storage.setItem(key, value),
    remove: (key) => storage.removeItem(key),
  });
  await journal.replay();
  return {
    get,
    keys,
    getMany: (wanted) => Promise.all(wanted.map(get)),
    async scan({ from, to, limit, reverse }) {
      const inRange = (await keys("")).filter((key) => key >= from && key < to);
      if (reverse) inRange.reverse();
      const entries = await Promise.all(
        inRange
          .slice(0, limit)
          .map(async (key) => ({ key, value: await get(key) })),
      );
      return entries.filter(
        (entry): entry is Entry => entry.value !== undefined,
      );
    },
    commit: (operations) => journal.commit(operations),
    close: () => storage.dispose(),
  };
}

function parse(stored: unknown): object | undefined {
  if (stored === null || stored === undefined) return undefined;
  let value: unknown = stored;
  try {
    if (typeof stored === "string") value = JSON.parse(stored) as unknown;
  } catch {
    // Handed on below as what it is.
  }
  return typeof value === "object" && value !== null
    ? value
    : new Unreadable(stored);
}
