import type { StoreEntry, StoreOperation } from "@gantry/plugin";
import { MAX_PAGE_LENGTH } from "./engine-image.ts";
import type { EngineImage } from "./engine-image.ts";
import type { ScanOptions } from "./key-range.ts";
import type { RangeDriver, TextOperation } from "./range-driver.ts";
import { isDeeperThan } from "./nesting.ts";
import { refuse } from "./storage-error.ts";

/** Levels of JSON. `JSON.stringify` runs out of stack before, so that nothing that was stored here is nested deeper. */
const MAX_LEVELS = 10_000;

/** An entry of the store. */
export interface Entry {
  key: string;
  value: object;
}

/** A change of one key, or a condition of the whole batch. A value that is a text is stored as it is. */
export type EngineOperation = StoreOperation | TextOperation;

/** Stands for a value that cannot be read. */
export class Unreadable {
  readonly content: string;
  readonly reason: string;
  constructor(content: string, reason: string) {
    this.content = content;
    this.reason = reason;
  }
}

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

/** Opens a store on a driver. */
export function openEngine(driver: RangeDriver): Engine {
  async function commit(operations: readonly EngineOperation[]): Promise<void> {
    try {
      await driver.commit(operations.map(toTextOperation));
    } catch (error) {
      refuse(error);
    }
  }

  return {
    get: async (key) => parse(await driver.getItem(key)),
    getMany: async (keys) => (await driver.getTexts(keys)).map(parse),
    getTexts: async (keys) => driver.getTexts(keys),
    async scan(options) {
      const entries = await driver.readRange(options);
      return entries.map(({ key, text }) => ({
        key,
        value: parse(text) ?? {},
      }));
    },
    keys: async (prefix) => driver.getKeys(prefix),
    commit,
    async openImage() {
      const image = await driver.openImage().catch(refuse);
      return {
        async read(range, limit) {
          const page = { ...range, limit, reverse: false };
          try {
            return await image.readRange({
              ...page,
              maxLength: MAX_PAGE_LENGTH,
            });
          } catch (error) {
            return refuse(error);
          }
        },
        close: async () => image.close(),
      };
    },
    putTexts: (entries, removed) =>
      commit([
        ...entries.map(
          ({ key, text }) => ({ type: "set", key, value: text }) as const,
        ),
        ...removed.map(toRemoval),
      ]),
    close: async () => driver.dispose(),
  };
}

/** Removes what lies under a key. */
export const toRemoval = (key: string): StoreOperation => ({
  type: "remove",
  key,
});

const toTextOperation = (operation: EngineOperation): TextOperation =>
  operation.type === "set" && typeof operation.value !== "string"
    ? { ...operation, value: JSON.stringify(operation.value) }
    : (operation as TextOperation);

/** Reads what is stored. */
function parse(text: string | null | undefined): object | undefined {
  if (text === null || text === undefined) return undefined;
  // A forged snapshot can bring any text, and no request is answered while it is parsed: 3 seconds for a million levels.
  // Each level takes a character.
  if (text.length > MAX_LEVELS && isDeeperThan(MAX_LEVELS, text))
    return new Unreadable(text, "it is nested too deep");
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Given below as it is.
  }
  return new Unreadable(text, "it is not JSON");
}
