import { createKeyedLock } from "@gantry/plugin";
import { ConflictError } from "../storage-error.ts";
import type { EngineOperation } from "../stored-value.ts";

/** Under the kernel's own prefix, where no plugin can write. */
const JOURNAL_KEY = "kernel:journal";

interface JournalEntry {
  operations: EngineOperation[];
}

/** What a journal needs of a storage. */
interface JournalStorage {
  get(key: string): Promise<object | undefined>;
  /** Keys that begin with a prefix. */
  keys(prefix: string): Promise<string[]>;
  set(key: string, value: object | string): Promise<void>;
  remove(key: string): Promise<void>;
}

/**
 * Atomic batches for a driver that has none: the whole batch is one record first, then its operations are applied,
 * then the record goes. A crash in between is made good by {@link replay}, since applying twice changes nothing.
 */
export function createJournal(storage: JournalStorage) {
  const lock = createKeyedLock();

  async function apply(operations: readonly EngineOperation[]): Promise<void> {
    for (const operation of operations) {
      if (operation.type === "set")
        await storage.set(operation.key, operation.value);
      else if (operation.type === "remove") await storage.remove(operation.key);
      else {
        // Batches come one after the other, so what is absent now still is when the batch is written.
        const { key, isPrefix } = operation;
        const isTaken = isPrefix
          ? (await storage.keys(key)).length > 0
          : (await storage.get(key)) !== undefined;
        if (isTaken) throw new ConflictError(key);
      }
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

  /** Does work while no batch is written, and none is half applied. */
  const alone = <Result>(work: () => Promise<Result>): Promise<Result> =>
    lock.run(JOURNAL_KEY, async () => {
      // A batch that failed half-way is finished before another may touch its keys.
      await replay();
      return work();
    });

  return {
    alone,
    /** One batch after the other, so that the journal holds at most one. */
    commit: (operations: readonly EngineOperation[]): Promise<void> =>
      alone(async () => {
        await apply(operations.filter(({ type }) => type === "absent"));
        const changes = operations.filter(({ type }) => type !== "absent");
        if (changes.length <= 1) return apply(changes);
        await storage.set(JOURNAL_KEY, { operations: changes });
        await replay();
      }),
    /** Finishes what a crash interrupted. */
    replay,
  };
}
