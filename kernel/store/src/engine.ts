import { createStorage } from "unstorage";
import type { Driver } from "unstorage";
import type { StoreEntry, StoreOperation } from "@gantry/plugin";
import type { EngineImage } from "./engine-image.ts";
import { isRangeDriver } from "./range-driver.ts";
import type { RangeDriver } from "./range-driver.ts";
import type { ScanOptions } from "./key-range.ts";
import { createJournal } from "./journal.ts";
import { createKeptAside } from "./kept-aside.ts";
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
  /** What lies under several keys as text, in their order. */
  getTexts(keys: readonly string[]): Promise<(string | undefined)[]>;
  scan(options: ScanOptions): Promise<Entry[]>;
  keys(prefix: string): Promise<string[]>;
  /** Writes all or nothing, and resolves when it is durable. @throws `STORE_CONFLICT` for a key that must be absent */
  commit(operations: readonly StoreOperation[]): Promise<void>;
  /** Opens an image of what is durable now. @throws `STORAGE_UNAVAILABLE` */
  openImage(): Promise<EngineImage>;
  /**
   * Writes texts as they are, and removes keys. It is all or nothing only with our own driver, so that nothing else may read or
   * write meanwhile.
   */
  putTexts(
    entries: readonly StoreEntry[],
    removed: readonly string[],
  ): Promise<void>;
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
    commit: (operations) => engine.commit(operations).catch(refuse),
    putTexts: (...given) => engine.putTexts(...given).catch(refuse),
    async openImage() {
      const image = await engine.openImage().catch(refuse);
      return {
        ...image,
        read: (...range) => image.read(...range).catch(refuse),
      };
    },
  };
}

function refuse(error: unknown): never {
  throw toStorageError(error);
}

function createRangeEngine(driver: RangeDriver): Engine {
  return {
    get: async (key) => parse(await driver.getItem(key)),
    getMany: async (keys) => driver.getMany(keys).map(parse),
    getTexts: async (keys) => driver.getMany(keys),
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
    putTexts: (entries, removed) =>
      driver.commit([
        ...entries.map(({ key, text }) => ({
          type: "set" as const,
          key,
          value: text,
        })),
        ...removed.map((key) => ({ type: "remove" as const, key })),
      ]),
    async openImage() {
      const image = await driver.openImage();
      return {
        read: async (range, limit) => image.read(range, limit),
        close: async () => image.end(),
      };
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
  const text = async (key: string) => toText(await driver.getItem(key));
  const images = createKeptAside({ keys: () => keys(""), text });
  const set = async (key: string, value: object | string) => {
    await images.keep(key);
    await storage.setItem(key, value);
  };
  const remove = async (key: string) => {
    await images.keep(key);
    await storage.removeItem(key);
  };
  const journal = createJournal({ get, keys, set, remove });
  await journal.replay();
  return {
    get,
    keys,
    getMany: (wanted) => Promise.all(wanted.map(get)),
    getTexts: (wanted) => Promise.all(wanted.map(text)),
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
    openImage: () => journal.alone(images.open),
    putTexts: (entries, removed) =>
      journal.alone(async () => {
        for (const { key, text } of entries) await set(key, text);
        for (const key of removed) await remove(key);
      }),
    close: () => storage.dispose(),
  };
}

function parse(stored: unknown): object | undefined {
  if (stored === null || stored === undefined) return undefined;
  let value: unknown = stored;
  try {
    if (typeof stored === "string") value = JSON.parse(stored) as unknown;
  } catch {
    // Rethrown below unchanged.
  }
  return typeof value === "object" && value !== null
    ? value
    : new Unreadable(stored);
}

/** What lies there as text, whether a driver gives it as that or as what it parsed of it. */
function toText(stored: unknown): string | undefined {
  if (stored === null || stored === undefined) return undefined;
  return typeof stored === "string" ? stored : JSON.stringify(stored);
}
