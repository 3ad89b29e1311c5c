import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { keyRange } from "./key-range.ts";
import type { LogFlusher } from "./log-flusher.ts";
import type {
  NumberEvents,
  RewriteWork,
  TextOperation,
} from "./range-driver.ts";

/** What is written as a whole. */
export interface Batch {
  readonly operations: readonly TextOperation[];
  readonly numberEvents: NumberEvents | undefined;
  /** Number of the newest event, from when it is written. */
  newest: number;
}

/** Changes a database in transactions. What is committed is not flushed yet. */
export function createTransactions(database: DatabaseSync, log: LogFlusher) {
  const statement = {
    set: database.prepare(
      "INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ),
    insert: database.prepare(
      "INSERT INTO entries VALUES (?, ?) ON CONFLICT DO NOTHING",
    ),
    remove: database.prepare("DELETE FROM entries WHERE key = ?"),
    first: database.prepare(
      "SELECT 1 FROM entries WHERE key >= ? AND key < ? LIMIT 1",
    ),
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
  } satisfies Record<string, StatementSync>;
  let newest = 0;

  function apply(
    operation: TextOperation,
    index: number,
    batch: readonly TextOperation[],
  ): void {
    const { type, key } = operation;
    // An insertion finds out by itself whether its key is absent.
    if (isInsertion(operation, batch[index + 1])) return;
    log.count(operation);
    if (type === "remove") statement.remove.run(key);
    else if (type === "set") {
      const isNew = isInsertion(batch[index - 1], operation);
      const change = isNew ? statement.insert : statement.set;
      if (change.run(key, operation.value).changes === 0) throw conflict(key);
    } else {
      const to = operation.isPrefix ? keyRange(key).to : `${key}\u0000`;
      if (statement.first.get(key, to)) throw conflict(key);
    }
  }

  function rollBack(): void {
    // Nothing is left after a COMMIT, and one that failed may have rolled back by itself.
    if (database.isTransaction) statement.rollback.run();
  }

  return {
    /** Writes all of some batches, or none. */
    write(batches: readonly Batch[]): void {
      let last = newest;
      statement.begin.run();
      try {
        for (const batch of batches) {
          batch.operations.forEach(apply);
          const events = batch.numberEvents?.(last);
          events?.operations.forEach(apply);
          batch.newest = last = events?.newest ?? last;
        }
        statement.commit.run();
        newest = last;
      } finally {
        rollBack();
      }
    },
    /** Writes what some work hands over. What has no room in the memory of SQLite goes to its log until then. */
    async rewrite(work: RewriteWork): Promise<void> {
      statement.begin.run();
      try {
        await work(async (operations) => {
          operations.forEach(apply);
          await nextTurn();
        });
        statement.commit.run();
      } finally {
        rollBack();
      }
    },
  };
}

/** Whether a key must be absent and is set then. */
function isInsertion(first?: TextOperation, second?: TextOperation): boolean {
  return (
    first?.type === "absent" &&
    !first.isPrefix &&
    second?.type === "set" &&
    second.key === first.key
  );
}

const conflict = (key: string) =>
  Object.assign(new Error(`There is a value under ${key}.`), {
    code: "STORE_CONFLICT",
  });
