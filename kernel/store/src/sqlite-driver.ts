import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { isDeletion, keepDiskReserve } from "./disk-reserve.ts";
import { createEntryWriter } from "./entry-writer.ts";
import { createLogFlusher } from "./log-flusher.ts";
import type { SyncFile } from "./log-flusher.ts";
import type { RangeDriver, WireOperation } from "./range-driver.ts";
import { openSnapshotReader } from "./snapshot-reader.ts";
import { openSqliteImage } from "./sqlite-image.ts";
import type { SqliteImage } from "./sqlite-image.ts";
import { isDiskFull } from "./storage-error.ts";

interface PendingCommit {
  operations: readonly WireOperation[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Our unstorage driver on `node:sqlite`: one ordered table, a write-ahead log, and group commit. All commits of one turn of
 * the event loop, or that arrive while the previous group is being flushed, are one transaction and one flush, so that
 * durable writes are cheap under load.
 *
 * - A commit resolves only after the flush, which does not block the event loop.
 * - Reads see what is on disk and nothing else.
 * - On a full disk deletions are still written, using reserved space.
 * - After a failed flush it is unknown what is on disk: nothing more is written until the store is opened again, and reads
 *   return what was acknowledged.
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
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
  } satisfies Record<string, StatementSync>;

  const entries = createEntryWriter(database);
  const reader = openSnapshotReader(file);
  const reserve = keepDiskReserve(`${file}-reserve`);
  const log = createLogFlusher(database, file, sync);
  const images = new Set<SqliteImage>();
  let pending: PendingCommit[] = [];
  let flushing: Promise<void> | undefined;
  /** Why nothing is written any more. */
  let fault: { error: unknown } | undefined;
  let open = true;

  function write(commits: readonly PendingCommit[]): void {
    statement.begin.run();
    try {
      for (const { operations } of commits) entries.apply(operations);
      statement.commit.run();
      for (const { operations } of commits) log.count(operations);
    } catch (error) {
      // A failed COMMIT may already have rolled back by itself.
      if (database.isTransaction) statement.rollback.run();
      throw error;
    }
  }

  /** Writes the commits that can be written, and returns them. */
  function writeAll(commits: readonly PendingCommit[]): PendingCommit[] {
    try {
      if (!reserve.isKept()) throw diskFull();
      write(commits);
      return [...commits];
    } catch {
      // One of them cannot be written (a full disk, say). Each is tried alone, so that none fails because of another.
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
      // Nothing is written yet, so the next group may succeed.
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

  /** Flushes one group after the other; commits that arrive meanwhile are the next group. */
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
      // What is in the log takes space twice, so it is moved into the database first. SQLite would wait for a reader.
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
      // The last connection that is closed deletes the log if it could write. After a failed flush the log stays: the next open
      // recovers the complete transactions in it.
      if (!fault) reader.close();
      database.close();
      if (fault) reader.close();
      log.close();
    },
  };
}

const diskFull = () =>
  Object.assign(new Error("The disk is full."), { code: "ENOSPC" });
