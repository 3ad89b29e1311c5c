import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isDeletion, keepDiskReserve } from "./disk-reserve.ts";
import { keyRange } from "./key-range.ts";
import type { LogFlusher } from "./log-flusher.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import { ConflictError, isDiskFull } from "./storage-error.ts";
import type { TextOperation } from "./range-driver.ts";

/** A batch that waits to be written. */
interface PendingCommit {
  operations: readonly TextOperation[];
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Writes batches in transactions.
 *
 * @param makeRoom Brings to the database what waits in its log, where it takes room twice.
 * @returns writes what it can of several batches, rejects the others, and returns what was written
 */
export function createSqliteWriter(
  file: string,
  database: DatabaseSync,
  makeRoom: () => void,
) {
  const reserve = keepDiskReserve(`${file}-reserve`);
  const statement = {
    set: database.prepare(
      "INSERT INTO entries VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ),
    remove: database.prepare("DELETE FROM entries WHERE key = ?"),
    first: database.prepare(
      "SELECT 1 FROM entries WHERE key >= ? AND key < ? LIMIT 1",
    ),
    begin: database.prepare("BEGIN IMMEDIATE"),
    commit: database.prepare("COMMIT"),
    rollback: database.prepare("ROLLBACK"),
  } satisfies Record<string, StatementSync>;

  function apply(operation: TextOperation): void {
    const { type, key } = operation;
    if (type === "set") statement.set.run(key, operation.value);
    else if (type === "remove") statement.remove.run(key);
    else {
      const to = operation.isPrefix ? keyRange(key).to : `${key}\u0000`;
      if (statement.first.get(key, to)) throw new ConflictError(key);
    }
  }

  function write(commits: readonly PendingCommit[]): void {
    statement.begin.run();
    try {
      for (const { operations } of commits) operations.forEach(apply);
      statement.commit.run();
    } catch (error) {
      // A failed COMMIT may already have rolled back by itself.
      if (database.isTransaction) statement.rollback.run();
      throw error;
    }
  }

  function writeWithinReserve(commits: readonly PendingCommit[]): void {
    if (!reserve.isKept()) throw diskFull();
    write(commits);
  }

  function writeAlone(commit: PendingCommit): void {
    if (!isDeletion(commit.operations)) return writeWithinReserve([commit]);
    try {
      write([commit]);
    } catch (error) {
      if (!isDiskFull(error) || !reserve.spend()) throw error;
      makeRoom();
      write([commit]);
    }
  }

  return (commits: readonly PendingCommit[]): readonly PendingCommit[] => {
    try {
      writeWithinReserve(commits);
      return commits;
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
  };
}

export const diskFull = () =>
  Object.assign(new Error("The disk is full."), { code: "ENOSPC" });

/** Collects what is to be written meanwhile into one group, which is written and flushed as one. */
export function createGroupCommit(
  reader: SnapshotReader,
  log: LogFlusher,
  writeAll: ReturnType<typeof createSqliteWriter>,
) {
  let pending: PendingCommit[] = [];
  let flushing: Promise<void> | undefined;
  /** Why nothing is written any more. */
  let fault: { error: unknown } | undefined;

  async function flush(): Promise<void> {
    let commits: readonly PendingCommit[] = pending;
    pending = [];
    const rejectAll = (error: unknown) => {
      for (const commit of commits) commit.reject(error);
    };
    if (fault) return rejectAll(fault.error);
    try {
      if (commits.length > 0) reader.hold();
    } catch (error) {
      // Nothing is written yet, so the next group may have more luck.
      return rejectAll(error);
    }
    try {
      if (commits.length > 0) commits = writeAll(commits);
      for (const { operations } of commits) log.count(operations);
      if (commits.length > 0) await log.flush();
      reader.release();
      for (const commit of commits) commit.resolve();
      await log.shorten();
    } catch (error) {
      fault = { error };
      rejectAll(error);
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

  return {
    get fault() {
      return fault;
    },
    /** Resolves when the batch is on disk. */
    add: (operations: readonly TextOperation[]) =>
      new Promise<void>((resolve, reject) => {
        if (pending.length === 0 && !flushing) setImmediate(begin);
        pending.push({ operations, resolve, reject });
      }),
    begin,
    /** What is being written and flushed. */
    get flushing() {
      return flushing;
    },
  };
}
