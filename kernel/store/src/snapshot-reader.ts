import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { keyRange } from "./key-range.ts";
import type { ScanOptions } from "./key-range.ts";

/** An entry as it lies in the database. */
export interface Row {
  key: string;
  value: string;
}

/**
 * Reads a database through a connection of its own, so that reads can stay with what is on disk while more is being written.
 */
export interface SnapshotReader {
  get(key: string): string | undefined;
  /** The values of several keys, in their order; `undefined` for a key that is not there. */
  getMany(keys: readonly string[]): (string | undefined)[];
  scan(options: ScanOptions): Row[];
  keys(base: string): string[];
  /** From now on reads see what is committed at this moment, whatever is committed later. */
  hold(): void;
  /** Ends that: reads see everything that is committed. */
  release(): void;
  close(): void;
}

/** Opens a reader of a database that is open for writing in this process. */
export function openSnapshotReader(file: string): SnapshotReader {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  const statement = {
    get: database.prepare("SELECT value FROM entries WHERE key = ?"),
    getMany: database.prepare(
      "SELECT entries.key, entries.value FROM json_each(?) AS wanted JOIN entries ON entries.key = wanted.value",
    ),
    keys: database.prepare(
      "SELECT key FROM entries WHERE key >= ? AND key < ? ORDER BY key",
    ),
    ascending: database.prepare(
      "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key LIMIT ?",
    ),
    descending: database.prepare(
      "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT ?",
    ),
    begin: database.prepare("BEGIN"),
    // A transaction takes its snapshot at its first read.
    touch: database.prepare("SELECT 1 FROM entries LIMIT 1"),
    commit: database.prepare("COMMIT"),
  } satisfies Record<string, StatementSync>;

  return {
    get: (key) => (statement.get.get(key) as Row | undefined)?.value,
    getMany(keys) {
      const rows = statement.getMany.all(
        JSON.stringify(keys),
      ) as unknown as Row[];
      const found = new Map(rows.map(({ key, value }) => [key, value]));
      return keys.map((key) => found.get(key));
    },
    scan({ from, to, limit, reverse }) {
      const rows = reverse
        ? statement.descending.all(from, to, limit)
        : statement.ascending.all(from, to, limit);
      return rows as unknown as Row[];
    },
    keys(base) {
      const { from, to } = keyRange(base);
      return (statement.keys.all(from, to) as unknown as Row[]).map(
        ({ key }) => key,
      );
    },
    hold() {
      if (database.isTransaction) return;
      statement.begin.run();
      statement.touch.get();
    },
    release() {
      if (database.isTransaction) statement.commit.run();
    },
    close: () => database.close(),
  };
}
