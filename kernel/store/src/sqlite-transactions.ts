import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { keyRange } from "./key-range.ts";
import type { RewriteWork, TextOperation } from "./range-driver.ts";
import { ConflictError } from "./storage-error.ts";

/** Changes a database in transactions. What is committed is not flushed yet. */
export function createTransactions(database: DatabaseSync) {
  const statement = {
    set: database.prepare(
      "INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ),
    remove: database.prepare("DELETE FROM entries WHERE key = ?"),
    first: database.prepare(
      "SELECT 1 FROM entries WHERE key >= ? AND key < ? LIMIT 1",
    ),
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
  } satisfies Record<string, StatementSync>;

  function apply(operation: TextOperation): void {
    const { type, key } = operation;
    if (type === "set") statement.set.run(key, operation.value);
    else if (type === "remove") statement.remove.run(key);
    else {
      const to = operation.isPrefix ? keyRange(key).to : `${key}\u0000`;
      if (statement.first.get(key, to)) throw new ConflictError(key);
    }
  }

  function rollBack(): void {
    // A failed COMMIT may already have rolled back by itself.
    if (database.isTransaction) statement.rollback.run();
  }

  return {
    /** Writes all of some batches, or none. */
    write(batches: readonly { operations: readonly TextOperation[] }[]): void {
      statement.begin.run();
      try {
        for (const { operations } of batches) operations.forEach(apply);
        statement.commit.run();
      } catch (error) {
        rollBack();
        throw error;
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
