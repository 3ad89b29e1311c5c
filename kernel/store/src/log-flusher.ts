import { closeSync, fdatasync, fstatSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import type { TextOperation } from "./range-driver.ts";

/** Brings what was written to a file to the disk. */
export type SyncFile = (descriptor: number) => Promise<void>;

/** How long SQLite waits for a lock of another process. */
export const BUSY_TIMEOUT_MS = 5_000;
/** A log with more pages is moved into the database: 16 MiB. */
const MAX_LOG_PAGES = 4_000;
const PAGE_BYTES = 4_096;

export type LogFlusher = ReturnType<typeof createLogFlusher>;

/**
 * Takes over from SQLite when the write-ahead log of an open database is flushed and shortened, and does it beside the event
 * loop. SQLite would do it in the middle of a commit, where every caller waits for as long as a busy disk takes.
 */
export function createLogFlusher(
  database: DatabaseSync,
  file: string,
  sync: SyncFile = promisify(fdatasync),
) {
  // SQLite flushes the head of a log that starts over and all that it does itself, a commit no more.
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
  const timeout = `busy_timeout = ${BUSY_TIMEOUT_MS}`;
  const log = openSync(`${file}-wal`, "r+");
  const main = openSync(file, "r+");
  let pages = 0;
  let isHeldLong = false;

  return {
    /** Counts what was written to the log. */
    count(operation: TextOperation) {
      const length = operation.type === "set" ? operation.value.length : 1;
      pages += Math.ceil(length / PAGE_BYTES);
    },
    /** Resolves when all transactions so far are on disk. */
    flush: () => sync(log),
    /** Moves a log that has grown large into the database. Nothing may be written before it resolves. */
    async shorten() {
      const isToBeCut = isHeldLong;
      if (!isToBeCut && pages < MAX_LOG_PAGES) return;
      pages = 0;
      isHeldLong = false;
      // Without a flush: the log is on disk, and stays as it is until the next write, so whatever the machine loses of the
      // copies before they are there too, it finds in the log.
      const [off, usual] = ["synchronous = OFF", "synchronous = NORMAL"];
      if (!checkpoint(database, "PASSIVE", off, usual)) return;
      await sync(main);
      // SQLite does not cut it by itself. A reader in another process would block this commit, and with it every caller.
      if (isToBeCut)
        checkpoint(database, "TRUNCATE", "busy_timeout = 0", timeout);
    },
    /** To be called when no reader uses an old state any more, for which the log had to keep all that was written since. */
    endHold() {
      isHeldLong = fstatSync(log).size > MAX_LOG_PAGES * PAGE_BYTES * 2;
    },
    /** Whether the log is far longer than it need be, until it is shortened. */
    get isHeldLong() {
      return isHeldLong;
    },
    /** To be called when the database is closed: the locks of SQLite go when a descriptor of its file is closed. */
    close() {
      closeSync(log);
      closeSync(main);
    },
  };
}

/**
 * Moves what is in the log, with a setting that holds for this alone.
 *
 * @returns false if it is left to a later time, on a full disk for instance
 */
function checkpoint(
  database: DatabaseSync,
  mode: "PASSIVE" | "TRUNCATE",
  setting: string,
  usual: string,
): boolean {
  database.exec(`PRAGMA ${setting}`);
  try {
    database.exec(`PRAGMA wal_checkpoint(${mode})`);
    return true;
  } catch {
    return false;
  } finally {
    database.exec(`PRAGMA ${usual}`);
  }
}
