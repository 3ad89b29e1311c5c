import { createKeyedLock } from "@gantry/plugin";
import type { TextOperation } from "./stored-text.ts";
import { toText } from "./stored-text.ts";

/** Under the kernel's own prefix, where no plugin can write. */
const JOURNAL_KEY = "kernel:journal";

/** What a journal needs of a storage. */
interface JournalStorage {
  getText(key: string): Promise<string | undefined>;
  /** Keys that begin with a prefix. */
  getKeys(prefix: string): Promise<string[]>;
  set(key: string, text: string): Promise<void>;
  remove(key: string): Promise<void>;
}

/**
 * Atomic batches for a driver that has none: the whole batch is one record first, then its operations are applied,
 * then the record goes. A crash in between is made good by {@link replay}, since applying twice changes nothing.
 */
export function createJournal(storage: JournalStorage) {
  const lock = createKeyedLock();

  async function apply(operations: readonly TextOperation[]): Promise<void> {
    for (const operation of operations) {
      if (operation.type === "set")
        // Earlier versions wrote objects into the journal.
        await storage.set(operation.key, toText(operation.value) ?? "");
      else if (operation.type === "remove") await storage.remove(operation.key);
      else {
        // Batches come one after the other, so what is absent now still is when the batch is written.
        const { key, isPrefix } = operation;
        const isTaken = isPrefix
          ? (await storage.getKeys(key)).length > 0
          : (await storage.getText(key)) !== undefined;
        if (isTaken) throw conflict(key);
      }
    }
  }

  async function replay(): Promise<void> {
    const text = await storage.getText(JOURNAL_KEY);
    if (text === undefined) return;
    await apply(operationsIn(text));
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
    commit: (operations: readonly TextOperation[]): Promise<void> =>
      alone(async () => {
        await apply(operations.filter(({ type }) => type === "absent"));
        const changes = operations.filter(({ type }) => type !== "absent");
        if (changes.length <= 1) return apply(changes);
        const journal = JSON.stringify({ operations: changes });
        await storage.set(JOURNAL_KEY, journal);
        await replay();
      }),
    /** Finishes what a crash interrupted. */
    replay,
  };
}

/** The error by whose code the store knows that a key is there which a batch must not find. */
const conflict = (key: string) =>
  Object.assign(new Error(`There is a value under ${key}.`), {
    code: "STORE_CONFLICT",
  });

/** The batch in a journal. One that was cut short when it was written belongs to a batch of which nothing was applied. */
function operationsIn(journal: string): readonly TextOperation[] {
  try {
    const { operations = [] } = JSON.parse(journal) as {
      operations?: readonly TextOperation[];
    };
    return operations;
  } catch {
    return [];
  }
}
