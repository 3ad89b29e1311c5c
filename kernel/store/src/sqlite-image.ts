import { DatabaseSync } from "node:sqlite";
import type { StoreEntry } from "@gantry/plugin";
import { MAX_PAGE_LENGTH } from "./engine-image.ts";
import type { KeyRange } from "./key-range.ts";
import type { Row } from "./snapshot-reader.ts";

/** What is committed in a database at one moment, on a connection of its own. */
export interface SqliteImage {
  /** Throws once it has ended, with the reason if there is one. */
  read(range: KeyRange, limit: number): StoreEntry[];
  /** Closes the connection; twice is harmless. */
  end(reason?: Error): void;
}

/**
 * Opens an image of a database. Until it ends, the write-ahead log does not start over, so it grows with each write.
 *
 * @param onEnd Called once, after it has ended.
 */
export function openSqliteImage(file: string, onEnd: () => void): SqliteImage {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  const select = database.prepare(
    "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key LIMIT ?",
  );
  try {
    // A transaction takes its snapshot at its first read.
    database.exec("BEGIN; SELECT 1 FROM entries LIMIT 1");
  } catch (error) {
    database.close();
    throw error;
  }
  let ended: Error | undefined;

  return {
    read({ from, to }, limit) {
      if (ended) throw ended;
      const entries: StoreEntry[] = [];
      let length = 0;
      for (const row of select.iterate(from, to, limit)) {
        const { key, value } = row as unknown as Row;
        entries.push({ key, text: value });
        length += value.length;
        if (length >= MAX_PAGE_LENGTH) break;
      }
      return entries;
    },
    end(reason) {
      if (ended) return;
      ended = reason ?? new Error("The image is closed.");
      database.close();
      onEnd();
    },
  };
}
