import { rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { closeSync, openSync } from "node:fs";
import { flush } from "@gantry/plugin/files";
import type { StoreEntry } from "@gantry/plugin";

/**
 * Writes a new database of the store. It is on disk when this resolves; whatever interrupts it leaves a file that is to be
 * thrown away.
 *
 * @param pages Entries with different keys.
 */
export async function buildDatabase(
  file: string,
  pages: AsyncIterable<readonly StoreEntry[]>,
): Promise<void> {
  await rm(file, { force: true });
  closeSync(openSync(file, "wx", 0o600));
  const database = new DatabaseSync(file);
  try {
    // No reader opens it before it is whole, so nothing need be rolled back or flushed in between.
    database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      BEGIN;
    `);
    const insert = database.prepare("INSERT INTO entries VALUES (?, ?)");
    for await (const page of pages)
      for (const { key, text } of page) insert.run(key, text);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
  await flush(file);
}
