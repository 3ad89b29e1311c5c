import { isDeeperThan } from "@gantry/plugin";
import type { StoreOperation } from "@gantry/plugin";
import type { ScanOptions } from "./key-range.ts";
import type {
  NumberEvents,
  RangeDriver,
  RangeImage,
  RewriteWork,
  TextOperation,
  TextRange,
} from "./range-driver.ts";
import { isUnsettled, refuse } from "./storage-error.ts";

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
export type Engine = ReturnType<typeof openEngine>;

/** Opens a store on a driver. */
export function openEngine(driver: RangeDriver) {
  return {
    get: async (key: string) => parse(await driver.getItem(key)),
    /** The values of several keys, in their order. */
    getMany: async (keys: readonly string[]) =>
      (await driver.getTexts(keys)).map(parse),
    async scan(options: ScanOptions): Promise<Entry[]> {
      const entries = await driver.readRange(options);
      return entries.map(({ key, text }) => ({
        key,
        value: parse(text) ?? {},
      }));
    },
    keys: async (prefix: string) => driver.getKeys(prefix),
    /**
     * Writes all or nothing, and resolves with the number of its last event when it is durable.
     *
     * @throws `STORE_CONFLICT` for a key that must be absent, `STORAGE_FULL`, `STORAGE_UNAVAILABLE`
     */
    async commit(
      operations: readonly EngineOperation[],
      numberEvents?: NumberEvents,
    ): Promise<number> {
      const texts = operations.map(toTextOperation);
      return driver.commit(texts, numberEvents).catch(refuse);
    },
    /**
     * See {@link RangeDriver.rewrite}.
     *
     * @throws what the work throws; `STORAGE_FULL`, `STORAGE_UNAVAILABLE`; what {@link isUnsettled} knows
     */
    async rewrite(work: RewriteWork): Promise<void> {
      let failed: unknown;
      const guarded: RewriteWork = (write) =>
        work((operations) => write(operations).catch(refuse)).catch(
          (error: unknown) => {
            failed = error;
            throw error;
          },
        );
      await driver.rewrite(guarded).catch((error: unknown) => {
        // What the work refuses itself is no fault of the storage.
        if (error === failed || isUnsettled(error)) throw error;
        refuse(error);
      });
    },
    /** Opens an image of what is durable now. @throws `STORAGE_UNAVAILABLE`; so do its reads, also once it is closed */
    async openImage(): Promise<RangeImage> {
      const image = await driver.openImage().catch(refuse);
      const read = async (range: TextRange) => image.readRange(range);
      return {
        readRange: (range) => read(range).catch(refuse),
        close: () => image.close(),
      };
    },
    close: async () => driver.dispose(),
  };
}

/** Removes what lies under a key. */
export const toRemoval = (key: string) => ({ type: "remove", key }) as const;

function toTextOperation(operation: EngineOperation): TextOperation {
  if (operation.type !== "set") return operation;
  const { key, value } = operation;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { type: "set", key, value: text };
}

/** Reads what is stored. */
export function parse(text: string | null | undefined): object | undefined {
  if (text === null || text === undefined) return undefined;
  // A forged snapshot can bring any text, and no request is answered while it is parsed: 3 seconds for a million levels.
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
