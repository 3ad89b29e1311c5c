import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  openSync,
} from "node:fs";
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
const OFF = "synchronous = OFF";
const USUAL = "synchronous = NORMAL";
const TIMEOUT = `busy_timeout = ${BUSY_TIMEOUT_MS}`;

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
  database.exec(`PRAGMA ${USUAL}; PRAGMA wal_autocheckpoint = 0`);
  const log = openSync(`${file}-wal`, "r+");
  const main = openSync(file, "r+");
  let pages = 0;
  let isHeldLong = false;
  let copy: Copy | undefined;

  /** Copies the log into the database, which is flushed while more is written. */
  function beginCopy(isToBeCut: boolean, resume: Resume): void {
    const release = keepLog(file);
    if (!release) return;
    // Without a flush: the log is on disk, and stays as it is, so whatever the machine loses of the copies before they are
    // there too, it finds in the log.
    if (!checkpoint(database, "PASSIVE", OFF, USUAL)) return release();
    const begun: Copy = { isToBeCut, release, isFlushed: false };
    const end = (failed?: Fault) => {
      begun.isFlushed = true;
      resume(failed);
    };
    begun.flushing = sync(main).then(
      () => end(),
      (error: unknown) => end({ error }),
    );
    copy = begun;
  }

  /** Copies what was written meanwhile, which is little. The next write finds that nothing is left, and starts the log over. */
  async function endCopy({ isToBeCut, release }: Copy): Promise<void> {
    copy = undefined;
    release();
    if (!checkpoint(database, "PASSIVE", OFF, USUAL)) return;
    await sync(main);
    // SQLite does not cut it by itself. A reader in another process would block this commit, and with it every caller.
    if (isToBeCut)
      checkpoint(database, "TRUNCATE", "busy_timeout = 0", TIMEOUT);
  }

  return {
    /** Counts what was written to the log. */
    count(operation: TextOperation) {
      const length = operation.type === "set" ? operation.value.length : 1;
      pages += Math.ceil(length / PAGE_BYTES);
    },
    /** Resolves when all transactions so far are on disk. */
    flush: () => sync(log),
    /**
     * Moves a log that has grown large into the database, in two steps. Nothing may be written before it resolves.
     *
     * @param resume Called when the second step can be taken.
     */
    async shorten(resume: Resume) {
      if (copy?.isFlushed) return await endCopy(copy);
      const isToBeCut = isHeldLong;
      if (copy || (!isToBeCut && pages < MAX_LOG_PAGES)) return;
      pages = 0;
      isHeldLong = false;
      beginCopy(isToBeCut, resume);
    },
    /** To be called when no reader uses an old state any more, for which the log had to keep all that was written since. */
    endHold() {
      isHeldLong = fstatSync(log).size > MAX_LOG_PAGES * PAGE_BYTES * 2;
    },
    /** Whether there is something to shorten although nothing is written. */
    get isToBeShortened() {
      return copy ? copy.isFlushed : isHeldLong;
    },
    /** Resolves when the second step of shortening can be taken. */
    get copying() {
      return copy?.isFlushed ? undefined : copy?.flushing;
    },
    /** Ends what keeps the log, before it is shortened in another way. */
    release() {
      if (!copy) return;
      fdatasyncSync(main);
      copy.release();
      copy = undefined;
    },
    /** To be called when the database is closed: the locks of SQLite go when a descriptor of its file is closed. */
    close() {
      copy?.release();
      closeSync(log);
      closeSync(main);
    },
  };
}

/** A flush that failed, after which nothing may be written. */
export interface Fault {
  error: unknown;
}

type Resume = (failed?: Fault) => void;

/** A copy of the log in the database. Until it is on disk there, nothing of the log may be overwritten. */
interface Copy {
  readonly isToBeCut: boolean;
  /** Lets the log start over. */
  release(): void;
  isFlushed: boolean;
  flushing?: Promise<void>;
}

/**
 * Keeps the log from starting over, as each reader of what is in it does.
 *
 * @returns ends that; `undefined` if no file can be opened, and it is left to a later time
 */
function keepLog(file: string): (() => void) | undefined {
  try {
    const options = { readOnly: true, timeout: BUSY_TIMEOUT_MS };
    const reader = new DatabaseSync(file, options);
    reader.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    return () => reader.close();
  } catch {
    return undefined;
  }
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
