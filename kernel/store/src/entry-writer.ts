import type { DatabaseSync, StatementSync } from "node:sqlite";
import { absentRange, ConflictError } from "./range-driver.ts";
import type { WireOperation } from "./range-driver.ts";

/** Most entries that one statement writes: a record, its index entries and its events are seldom more. */
const MAX_ENTRIES = 8;

/** Writes batches into the table of entries, with few statements. */
export interface EntryWriter {
  /**
   * Applies the operations of a batch in their order, within the transaction of the caller.
   *
   * @throws ConflictError for a condition that is not met; the caller then rolls back
   */
  apply(operations: readonly WireOperation[]): void;
}

/** Prepares the statements of a writer. */
export function createEntryWriter(database: DatabaseSync): EntryWriter {
  const remove = database.prepare("DELETE FROM entries WHERE key = ?");
  const first = database.prepare(
    "SELECT key FROM entries WHERE key >= ? AND key < ? LIMIT 1",
  );
  const insert = database.prepare(
    "INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
  );
  /** By how many entries they write. */
  const set = Array.from({ length: MAX_ENTRIES }, (_, index): StatementSync =>
    database.prepare(
      `INSERT INTO entries VALUES ${"(?, ?), ".repeat(index)}(?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    ),
  );

  /** Key and value of the entries that are written together next. */
  let entries: string[] = [];

  function write(): void {
    if (entries.length === 0) return;
    set[entries.length / 2 - 1]?.run(...entries);
    entries = [];
  }

  /** Sets a key if it is absent. */
  function setAbsent(key: string, value: string): void {
    write();
    if (insert.run(key, value).changes === 0) throw new ConflictError(key);
  }

  function expectAbsent(
    operation: Extract<WireOperation, { type: "absent" }>,
  ): void {
    write();
    const { from, to } = absentRange(operation);
    const taken = first.get(from, to) as { key: string } | undefined;
    if (taken) throw new ConflictError(taken.key);
  }

  return {
    apply(operations) {
      // What a batch that failed left over is none of this one.
      entries = [];
      for (let at = 0; at < operations.length; at++) {
        const operation = operations[at] as WireOperation;
        if (operation.type === "set") {
          entries.push(operation.key, operation.value);
          if (entries.length === 2 * MAX_ENTRIES) write();
        } else if (operation.type === "remove") {
          write();
          remove.run(operation.key);
        } else {
          const next = operations[at + 1];
          // The condition of a new record and its write are one statement.
          if (
            !operation.isPrefix &&
            next?.type === "set" &&
            next.key === operation.key
          ) {
            setAbsent(next.key, next.value);
            at++;
          } else expectAbsent(operation);
        }
      }
      write();
    },
  };
}
