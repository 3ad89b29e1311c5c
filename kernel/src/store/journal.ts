import type { Storage } from "unstorage";
import type { StoreOperation } from "@gantry/plugin";

const JOURNAL_KEY = "journal:batch";

interface JournalEntry {
  operations: StoreOperation[];
}

/**
 * Atomic batches for a driver that has none: the whole batch is one record first, then its operations are applied,
 * then the record goes. A crash in between is made good by {@link replay}, since applying twice changes nothing.
 */
export function createJournal(storage: Storage) {
  let last: Promise<void> = Promise.resolve();

  async function apply(operations: readonly StoreOperation[]): Promise<void> {
    for (const operation of operations) {
      if (operation.type === "set")
        await storage.setItem(operation.key, operation.value);
      else await storage.removeItem(operation.key);
    }
  }

  async function replay(): Promise<void> {
    const entry = await storage.getItem<JournalEntry>(JOURNAL_KEY);
    if (!entry) return;
    await apply(entry.operations);
    await storage.removeItem(JOURNAL_KEY);
  }

  async function write(operations: readonly StoreOperation[]): Promise<void> {
    // A batch that failed half-way is finished before another may touch its keys.
    await replay();
    if (operations.length === 1) return apply(operations);
    await storage.setItem(JOURNAL_KEY, { operations });
    await replay();
  }

  return {
    /** One batch after the other, so that the journal holds at most one. */
    commit(operations: readonly StoreOperation[]): Promise<void> {
      const result = last.then(() => write(operations));
      last = result.catch(() => {});
      return result;
    },
    /** Finishes what a crash interrupted. */
    replay,
  };
}
