import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { isDeletion, keepDiskReserve } from "./disk-reserve.ts";
import { closeWithLog, createLogFlusher } from "./log-flusher.ts";
import type { SyncFile } from "./log-flusher.ts";
import { keyRange } from "./range-driver.ts";
import { isDiskFull } from "./storage-error.ts";
import type {
  RangeDriver,
  ScanOptions,
  WireOperation,
} from "./range-driver.ts";

interface PendingCommit {
  operations: readonly WireOperation[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface Row {
  key: string;
  value: string;
}

/**
 * Our unstorage driver on `node:sqlite`: one ordered table, write-ahead log, and group commit: all that is to be written
 * within one turn of the event loop, or while the disk is at work on what was before, is one transaction and one flush
 * to disk, so that a durable write is cheap under load. A promise resolves only after the flush, which no one else waits
 * for. Reads see whole transactions only, and each from the moment in which it goes to the disk. On a full disk deletions
 * are still written, out of a reserve. After a flush that failed nobody knows what is on disk, so nothing more is written
 * until the store is opened again.
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
    get: database.prepare("SELECT value FROM entries WHERE key = ?"),
    set: database.prepare(
      "INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ),
    remove: database.prepare("DELETE FROM entries WHERE key = ?"),
    keys: database.prepare(
      "SELECT key FROM entries WHERE key >= ? AND key < ? ORDER BY key",
    ),
    ascending: database.prepare(
      "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key LIMIT ?",
    ),
    descending: database.prepare(
      "SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT ?",
    ),
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
  } satisfies Record<string, StatementSync>;

  const reserve = keepDiskReserve(`${file}-reserve`);
  const log = createLogFlusher(database, file, sync);
  let pending: PendingCommit[] = [];
  let flushing: Promise<void> | undefined;
  /** Why nothing is written any more. */
  let fault: { error: unknown } | undefined;
  let open = true;

  function write(commits: readonly PendingCommit[]): void {
    statement.begin.run();
    try {
      for (const { operations } of commits) {
        for (const operation of operations) {
          if (operation.type === "set")
            statement.set.run(operation.key, operation.value);
          else statement.remove.run(operation.key);
        }
      }
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
    let written = commits;
    try {
      if (fault) throw fault.error;
      written = writeAll(commits);
      if (written.length === 0) return;
      await log.flush();
      for (const commit of written) commit.resolve();
      await log.shorten();
    } catch (error) {
      fault ??= { error };
      for (const commit of written) commit.reject(error);
    }
  }

  /** Flushes until nothing is left that could be flushed at once; what comes meanwhile is the next group. */
  function begin(): void {
    if (flushing || pending.length === 0) return;
    flushing = flush().finally(() => {
      flushing = undefined;
      if (pending.length > 0) setImmediate(begin);
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
      // What waits in the log takes room twice.
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
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

  function scan({ from, to, limit, reverse }: ScanOptions): Row[] {
    const rows = reverse
      ? statement.descending.all(from, to, limit)
      : statement.ascending.all(from, to, limit);
    return rows as unknown as Row[];
  }

  function keys(base: string): string[] {
    const { from, to } = keyRange(base);
    return (statement.keys.all(from, to) as unknown as Row[]).map(
      (row) => row.key,
    );
  }

  return {
    name: "gantry-sqlite",
    getInstance: () => database,
    hasItem: (key) => statement.get.get(key) !== undefined,
    getItem: (key) =>
      (statement.get.get(key) as Row | undefined)?.value ?? null,
    setItem: (key, value) => commit([{ type: "set", key, value }]),
    removeItem: (key) => commit([{ type: "remove", key }]),
    getKeys: (base) => keys(base ?? ""),
    clear: (base) =>
      commit(keys(base ?? "").map((key) => ({ type: "remove", key }))),
    scan,
    commit,
    async dispose() {
      if (!open) return;
      open = false;
      for (begin(); flushing; begin()) await flushing;
      if (fault) closeWithLog(database, file);
      else database.close();
      log.close();
    },
  };
}

const diskFull = () =>
  Object.assign(new Error("The disk is full."), { code: "ENOSPC" });
