import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { isDeletion, keepDiskReserve } from "./disk-reserve.ts";
import { createLogFlusher } from "./log-flusher.ts";
import type { SyncFile } from "./log-flusher.ts";
import { ConflictError } from "./range-driver.ts";
import { absentRange } from "./key-range.ts";
import type { RangeDriver, WireOperation } from "./range-driver.ts";
import { openSnapshotReader } from "./snapshot-reader.ts";
import type { Row } from "./snapshot-reader.ts";
import { openSqliteImage } from "./sqlite-image.ts";
import type { SqliteImage } from "./sqlite-image.ts";
import { isDiskFull } from "./storage-error.ts";

interface PendingCommit {
  operations: readonly WireOperation[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

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
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `);
  const statement = {
    set: database.prepare(
      "INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ),
    remove: database.prepare("DELETE FROM entries WHERE key = ?"),
    first: database.prepare(
      "SELECT key FROM entries WHERE key >= ? AND key < ? LIMIT 1",
    ),
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
  } satisfies Record<string, StatementSync>;

  const reader = openSnapshotReader(file);
  const reserve = keepDiskReserve(`${file}-reserve`);
  const log = createLogFlusher(database, file, sync);
  const images = new Set<SqliteImage>();
  let pending: PendingCommit[] = [];
  let flushing: Promise<void> | undefined;
  /** Why nothing is written any more. */
  let fault: { error: unknown } | undefined;
  let open = true;

  function apply(operation: WireOperation): void {
    if (operation.type === "set")
      statement.set.run(operation.key, operation.value);
    else if (operation.type === "remove") statement.remove.run(operation.key);
    else {
      const { from, to } = absentRange(operation);
      const taken = statement.first.get(from, to) as Row | undefined;
      if (taken) throw new ConflictError(taken.key);
    }
  }

  function write(commits: readonly PendingCommit[]): void {
    statement.begin.run();
    try {
      for (const { operations } of commits) operations.forEach(apply);
      statement.commit.run();
      for (const { operations } of commits) log.count(operations);
    } catch (error) {
      // A failed COMMIT may already have rolled back by itself.
      if (database.isTransaction) statement.rollback.run();
      throw error;
    }
  }

  /** Writes what it can, and gives that. */
  function writeAll(commits: readonly PendingCommit[]): PendingCommit[] {
    try {
      if (!reserve.isKept()) throw diskFull();
      write(commits);
      return [...commits];
    } catch {
      // One of them does not fit (a full disk, say): each alone, so that no one fails for another.
      return commits.filter((commit) => {
        try {
          writeAlone(commit);
          return true;
        } catch (error) {
          commit.reject(error);
          return false;
        }
      });
    }
  }

  async function flush(): Promise<void> {
    const commits = pending;
    pending = [];
    if (commits.length > 0) return flushCommits(commits);
    try {
      if (!fault) await log.shorten();
    } catch (error) {
      fault ??= { error };
    }
  }

  async function flushCommits(
    commits: readonly PendingCommit[],
  ): Promise<void> {
    let written = commits;
    try {
      if (!fault) reader.hold();
    } catch (error) {
      // Nothing is written yet, so the next group may have more luck.
      for (const commit of commits) commit.reject(error);
      return;
    }
    try {
      if (fault) throw fault.error;
      written = writeAll(commits);
      if (written.length > 0) await log.flush();
      reader.release();
      if (written.length === 0) return;
      for (const commit of written) commit.resolve();
      await log.shorten();
    } catch (error) {
      fault ??= { error };
      for (const commit of written) commit.reject(error);
    }
  }

  const hasWork = () => pending.length > 0 || (log.isHeldLong && !fault);

  /** Flushes until nothing is left that could be flushed at once; what comes meanwhile is the next group. */
  function begin(): void {
    if (flushing || !hasWork()) return;
    flushing = flush().finally(() => {
      flushing = undefined;
      if (hasWork()) setImmediate(begin);
    });
  }

  function writeAlone(commit: PendingCommit): void {
    if (!isDeletion(commit.operations)) {
      if (!reserve.isKept()) throw diskFull();
      return write([commit]);
    }
    try {
      write([commit]);
    } catch (error) {
      if (!isDiskFull(error) || !reserve.spend()) throw error;
      // What waits in the log takes room twice. It is brought to the disk first, and a reader would be waited for.
      reader.release();
      for (const image of images) image.end(diskFull());
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      reader.hold();
      write([commit]);
    }
  }

  function commit(operations: readonly WireOperation[]): Promise<void> {
    if (!open) return Promise.reject(new Error("The store is closed."));
    return new Promise((resolve, reject) => {
      if (pending.length === 0 && !flushing) setImmediate(begin);
      pending.push({ operations, resolve, reject });
    });
  }

  async function openImage(): Promise<SqliteImage> {
    // What is being written is not on disk yet.
    while (flushing) await flushing;
    if (fault) throw fault.error;
    if (!open) throw new Error("The store is closed.");
    const image = openSqliteImage(file, () => {
      images.delete(image);
      if (images.size > 0 || !open) return;
      log.endHold();
      setImmediate(begin);
    });
    images.add(image);
    return image;
  }

  return {
    name: "gantry-sqlite",
    getInstance: () => database,
    hasItem: (key) => reader.get(key) !== undefined,
    getItem: (key) => reader.get(key) ?? null,
    setItem: (key, value) => commit([{ type: "set", key, value }]),
    removeItem: (key) => commit([{ type: "remove", key }]),
    getKeys: (base) => reader.keys(base ?? ""),
    clear: (base) =>
      commit(reader.keys(base ?? "").map((key) => ({ type: "remove", key }))),
    scan: reader.scan,
    getMany: reader.getMany,
    commit,
    openImage,
    async dispose() {
      if (!open) return;
      open = false;
      for (const image of images) image.end(new Error("The store is closed."));
      for (begin(); flushing; begin()) await flushing;
      // The last to close the log throws it away, but only if it could write. What is on disk of it after a flush that
      // failed is found when it is opened next, and what is complete counts.
      if (!fault) reader.close();
      database.close();
      if (fault) reader.close();
      log.close();
    },
  };
}

const diskFull = () =>
  Object.assign(new Error("The disk is full."), { code: "ENOSPC" });
