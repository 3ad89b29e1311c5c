import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import {
  createGroupCommit,
  createSqliteWriter,
  diskFull,
} from "./group-commit.ts";
import { BUSY_TIMEOUT_MS, createLogFlusher } from "./log-flusher.ts";
import type { SyncFile } from "./log-flusher.ts";
import type { RangeDriver } from "./range-driver.ts";
import { openHeldImage, openSnapshotReader } from "./snapshot-reader.ts";
import type { HeldImage } from "./snapshot-reader.ts";

/** What the names of the files end with that SQLite keeps beside a database. They must never lie beside another one. */
export const SIDE_FILES = ["-wal", "-shm"];

/**
 * Our unstorage driver on `node:sqlite`: one ordered table, write-ahead log, and group commit: all that is to be written
 * within one turn of the event loop, or while the disk writes what was before, is one transaction and one flush
 * to disk, so that a durable write is cheap under load. A promise resolves only after the flush, which no one else waits
 * for. Reads see what is on disk and nothing else. On a full disk deletions are still written, out of a reserve. After a
 * flush that failed it is not known what is on disk: nothing more is written until the store is opened again, and reads
 * stay with what was acknowledged.
 *
 * @param file Path of the database; made with mode 0600.
 * @param sync How a file is flushed.
 */
export function createSqliteDriver(file: string, sync?: SyncFile): RangeDriver {
  // SQLite gives its side files the mode of the main file, so this one mode protects all.
  closeSync(openSync(file, "a", 0o600));
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    `);
  } catch (error) {
    // Closed later, it could remove side files of another database that has taken its place.
    database.close();
    throw error;
  }
  const reader = openSnapshotReader(file);
  const log = createLogFlusher(database, file, sync);
  const images = new Set<HeldImage>();
  const endImages = (reason: Error) => {
    for (const image of images) image.end(reason);
  };
  const writer = createSqliteWriter(file, database, log, () => {
    // A reader would be waited for.
    reader.release();
    log.release();
    endImages(diskFull());
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    reader.hold();
  });
  const group = createGroupCommit(reader, log, writer);
  let open = true;

  const commit: RangeDriver["commit"] = async (...batch) => {
    if (!open) throw closed();
    return group.add(...batch);
  };

  async function openImage(): Promise<HeldImage> {
    // What is being written is not on disk yet.
    while (group.flushing) await group.flushing;
    const fault = group.fault();
    if (fault) throw fault.error;
    if (!open) throw closed();
    const image = openHeldImage(file, () => {
      images.delete(image);
      if (images.size > 0 || !open) return;
      log.endHold();
      setImmediate(group.begin);
    });
    images.add(image);
    return image;
  }

  async function dispose(): Promise<void> {
    if (!open) return;
    open = false;
    endImages(closed());
    const working = () => group.flushing ?? log.copying;
    for (group.begin(); working(); group.begin()) await working();
    // The last to close the log throws it away, but only if it could write. What is on disk of it after a flush that
    // failed is found when it is opened next, and what is complete counts.
    if (!group.fault()) reader.close();
    database.close();
    if (group.fault()) reader.close();
    log.close();
  }

  return {
    name: "gantry-sqlite",
    getInstance: () => database,
    hasItem: (key) => reader.getItem(key) !== null,
    getItem: reader.getItem,
    setItem: async (key, value) =>
      void (await commit([{ type: "set", key, value }])),
    removeItem: async (key) => void (await commit([{ type: "remove", key }])),
    getKeys: reader.getKeys,
    getTexts: reader.getTexts,
    readRange: reader.readRange,
    commit,
    async rewrite(work) {
      if (!open) throw closed();
      await group.rewrite(work);
    },
    openImage,
    dispose,
  };
}

const closed = () => new Error("The store is closed.");
