import { createStorage } from "unstorage";
import type { Driver, Storage } from "unstorage";
import type { StoreOperation } from "@gantry/plugin";
import { isRangeDriver } from "./range-driver.ts";
import type { ScanOptions } from "./range-driver.ts";
import { createJournal } from "./journal.ts";
import { toStorageError } from "./storage-error.ts";

/** An entry of the store. */
export interface Entry {
  key: string;
  value: object;
}

/** The whole store: ordered keys, objects as values, atomic batches. Only the kernel sees it. */
export interface Engine {
  get(key: string): Promise<object | undefined>;
  scan(options: ScanOptions): Promise<Entry[]>;
  keys(prefix: string): Promise<string[]>;
  /** Writes all or nothing, and resolves when it is durable. */
  commit(operations: readonly StoreOperation[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a store on an unstorage driver. Our own driver does ranges and batches itself; with any other one, ranges are
 * cut out of its list of keys and a batch is written ahead into a journal that is replayed after a crash.
 */
export async function openEngine(driver: Driver): Promise<Engine> {
  const storage: Storage = createStorage({ driver });
  const read = async (key: string): Promise<object | undefined> =>
    ((await storage.getItem(key)) as object | null) ?? undefined;
  const close = () => storage.dispose();
  const keys = (prefix: string) =>
    storage.getKeys(prefix).then((found) => found.sort());

  if (isRangeDriver(driver)) {
    return {
      get: read,
      keys,
      close,
      async scan(options) {
        return driver.scan(options).map(({ key, value }) => ({
          key,
          value: JSON.parse(value) as object,
        }));
      },
      async commit(operations) {
        const wire = operations.map((operation) =>
          operation.type === "set"
            ? { ...operation, value: JSON.stringify(operation.value) }
            : operation,
        );
        await driver.commit(wire).catch((error: unknown) => {
          throw toStorageError(error);
        });
      },
    };
  }

  const journal = createJournal(storage);
  await journal.replay();
  return {
    get: read,
    keys,
    close,
    async scan({ from, to, limit, reverse }) {
      const inRange = (await keys("")).filter((key) => key >= from && key < to);
      if (reverse) inRange.reverse();
      const entries = await Promise.all(
        inRange
          .slice(0, limit)
          .map(async (key) => ({ key, value: await read(key) })),
      );
      return entries.filter(
        (entry): entry is Entry => entry.value !== undefined,
      );
    },
    commit: (operations) =>
      journal.commit(operations).catch((error: unknown) => {
        throw toStorageError(error);
      }),
  };
}
