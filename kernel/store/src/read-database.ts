import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { keyRange } from "./key-range.ts";
import type { Row } from "./snapshot-reader.ts";

/** Entries of a database that was read as it lies on the disk. */
export interface DatabaseEntries {
  /** By prefix, the last key first. Empty if there is no such file, or it cannot be read. */
  entriesOf: ReadonlyMap<string, readonly Row[]>;
  /** What is wrong with the file. */
  problem: string | null;
}

/** Checks a database that no daemon has open and reads all entries with some prefixes, without changing it. */
export function readDatabase(
  file: string,
  prefixes: readonly string[],
): DatabaseEntries {
  const entriesOf = new Map<string, Row[]>();
  if (!existsSync(file)) return { entriesOf, problem: null };
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    const [check] = database
      .prepare("PRAGMA quick_check(1)")
      .all() as unknown as { quick_check: string }[];
    const select = database.prepare(
      "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC",
    );
    const rows = prefixes.map((prefix) => {
      const { from, to } = keyRange(prefix);
      return [prefix, select.all(from, to) as unknown as Row[]] as const;
    });
    const problem = check?.quick_check === "ok" ? null : "it is damaged";
    return { entriesOf: new Map(rows), problem };
  } catch (error) {
    return { entriesOf, problem: (error as Error).message };
  }
}
