import type { StoreOperation } from "@gantry/plugin";
import { ConflictError } from "./range-driver.ts";

/** Under the kernel's own prefix, where no plugin can write. */
const JOURNAL_KEY = "kernel:journal";

interface JournalEntry {
  operations: StoreOperation[];
}

/** What a journal needs of a storage. */
export interface JournalStorage {
  get(key: string): Promise<object | undefined>;
  /** Keys that begin with a prefix. */
  keys(prefix: string): Promise<string[]>;
  set(key: string, value: object): Promise<void>;
  remove(key: string): Promise<void>;
}

/**
 * Atomic batches for a driver that has none: the whole batch is one record first, then its operations are applied,
 * then the record goes. A crash in between is made good by {@link replay}, since applying twice changes nothing.
 */
export function createJournal(storage: JournalStorage) {
  let last: Promise<void> = Promise.resolve();

  async function apply(operations: readonly StoreOperation[]): Promise<void> {
    for (const operation of operations) {
      if (operation.type === "set")
        await storage.set(operation.key, operation.value);
      else if (operation.type === "remove") await storage.remove(operation.key);
    }
  }

  /** Batches come one after the other, so what is absent now still is when the batch is written. */
  async function checkAbsent(
    operations: readonly StoreOperation[],
  ): Promise<void> {
    for (const operation of operations) {
      if (operation.type !== "absent") continue;
      const { key, isPrefix } = operation;
      const [taken] = isPrefix
        ? await storage.keys(key)
        : (await storage.get(key))
          ? [key]
          : [];
      if (taken !== undefined) throw new ConflictError(taken);
    }
  }

  async function replay(): Promise<void> {
    const entry = (await storage.get(JOURNAL_KEY)) as
      Partial<JournalEntry> | undefined;
    if (!entry) return;
    // A journal that was cut short when it was written belongs to a batch of which nothing was applied.
    if (entry.operations) await apply(entry.operations);
    await storage.remove(JOURNAL_KEY);
  }

  async function write(operations: readonly StoreOperation[]): Promise<void> {
    // A batch that failed half-way is finished before another may touch its keys.
    await replay();
    await checkAbsent(operations);
    const changes = operations.filter(({ type }) => type !== "absent");
    if (changes.length <= 1) return apply(changes);
    await storage.set(JOURNAL_KEY, { operations: changes });
    await replay();
  }

  /** Does work once what was begun before is over. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work);
    last = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  return {
    /** One batch after the other, so that the journal holds at most one. */
    commit: (operations: readonly StoreOperation[]): Promise<void> =>
      inTurn(() => write(operations)),
    /** Does work while no batch is written, and none is half applied. */
    alone: <Result>(work: () => Promise<Result>): Promise<Result> =>
      inTurn(async () => {
        await replay();
        return work();
      }),
    /** Finishes what a crash interrupted. */
    replay,
  };
}
