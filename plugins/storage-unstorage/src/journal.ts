import { createKeyedLock } from "@gantry/plugin";
import type {
  NumberEvents,
  RewriteWork,
  TextOperation,
} from "./stored-text.ts";
import { toText } from "./stored-text.ts";

/** Under the kernel's own prefix, where no plugin can write. */
const JOURNAL_KEY = "kernel:journal";
/** Begins the keys of the parts of a journal that is too large for one entry. */
const PART_PREFIX = "kernel:journal-part:";

/** What is to be applied: `operations`, or those of the parts, whose number is `parts`. */
interface JournalEntry {
  operations: readonly TextOperation[];
  parts: number;
}

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
  /** Number of the newest event that was written. */
  let newest = 0;
  /** What that is once the last batch is applied, which the journal may hold although its write failed. */
  let pendingNewest = 0;

  const apply = (operations: readonly TextOperation[]) =>
    applyAll(storage, operations);

  const setEntry = (key: string, entry: Partial<JournalEntry>) =>
    storage.set(key, JSON.stringify(entry));

  async function replay(): Promise<void> {
    const entry = await readEntry(storage, JOURNAL_KEY);
    if (!entry) return;
    if (entry.operations) {
      await apply(entry.operations);
      newest = pendingNewest;
    }
    for (let part = 0; part < (entry.parts ?? 0); part++) {
      const key = PART_PREFIX + part;
      await apply((await readEntry(storage, key))?.operations ?? []);
      // In their order: what is left of them after a crash is the end of the changes, which may be applied again.
      await storage.remove(key);
    }
    await storage.remove(JOURNAL_KEY);
  }

  async function rewrite(work: RewriteWork): Promise<void> {
    let parts = 0;
    try {
      await work((operations) =>
        setEntry(PART_PREFIX + parts++, { operations }),
      );
    } catch (error) {
      // What a storage that fails here too keeps of them is written over by the next rewrite.
      await Promise.allSettled(
        Array.from({ length: parts }, (_, part) =>
          storage.remove(PART_PREFIX + part),
        ),
      );
      throw error;
    }
    try {
      await setEntry(JOURNAL_KEY, { parts });
      await replay();
    } catch (error) {
      throw unsettled(error);
    }
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
    commit: (
      operations: readonly TextOperation[],
      numberEvents?: NumberEvents,
    ): Promise<number> =>
      alone(async () => {
        await apply(operations.filter(({ type }) => type === "absent"));
        const events = numberEvents?.(newest);
        const changes = [
          ...operations.filter(({ type }) => type !== "absent"),
          ...(events?.operations ?? []),
        ];
        pendingNewest = events?.newest ?? newest;
        if (changes.length <= 1) await apply(changes);
        else {
          await setEntry(JOURNAL_KEY, { operations: changes });
          await replay();
        }
        newest = pendingNewest;
        return newest;
      }),
    /** Writes what some work hands over as one batch: in parts that count from the moment that the journal names them. */
    rewrite: (work: RewriteWork): Promise<void> => alone(() => rewrite(work)),
    /** Finishes what a crash interrupted. */
    replay,
  };
}

/** Applies operations in their order. @throws `STORE_CONFLICT` for a key that must be absent */
async function applyAll(
  storage: JournalStorage,
  operations: readonly TextOperation[],
): Promise<void> {
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

/** One that was cut short when it was written belongs to a batch of which nothing was applied. */
async function readEntry(
  storage: JournalStorage,
  key: string,
): Promise<Partial<JournalEntry> | undefined> {
  const text = await storage.getText(key);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Partial<JournalEntry>;
  } catch {
    return {};
  }
}

/** The error by whose code the store knows that a key is there which a batch must not find. */
const conflict = (key: string) =>
  Object.assign(new Error(`There is a value under ${key}.`), {
    code: "STORE_CONFLICT",
  });

/** The error by whose code the store knows that it may have been written or not. */
const unsettled = (cause: unknown) =>
  Object.assign(
    new Error("It is not known whether the store was written.", { cause }),
    { code: "STORE_UNSETTLED" },
  );
