import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Writes the store of a home that no daemon has opened yet. */
export function writeStore(
  home: string,
  entries: Readonly<Record<string, object>>,
): void {
  const file = join(home, "store.sqlite");
  closeSync(openSync(file, "wx", 0o600));
  using database = new DatabaseSync(file);
  database.exec(
    "PRAGMA journal_mode = WAL; CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  );
  const insert = database.prepare("INSERT INTO entries VALUES (?, ?)");
  for (const [key, value] of Object.entries(entries))
    insert.run(key, JSON.stringify(value));
}
