import type { DatabaseSync } from "node:sqlite";
import { isDeletion, keepDiskReserve } from "./disk-reserve.ts";
import type { Fault, LogFlusher } from "./log-flusher.ts";
import type { RangeDriver, RewriteWork } from "./range-driver.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import { createTransactions } from "./sqlite-transactions.ts";
import type { Batch } from "./sqlite-transactions.ts";
import { isDiskFull } from "./storage-error.ts";

/** A batch that waits to be written. */
interface PendingCommit extends Batch {
  resolve: (newest: number) => void;
  reject: (error: unknown) => void;
}

/**
 * Writes in transactions.
 *
 * @param log Counts what is written.
 * @param makeRoom Brings to the database what waits in its log, where it takes room twice.
 */
export function createSqliteWriter(
  file: string,
  database: DatabaseSync,
  log: LogFlusher,
  makeRoom: () => void,
) {
  const reserve = keepDiskReserve(`${file}-reserve`);
  const { write, rewrite } = createTransactions(database, log);

  function writeWithinReserve(commits: readonly PendingCommit[]): void {
    if (!reserve.isKept()) throw diskFull();
    write(commits);
  }

  function writeAlone(commit: PendingCommit): void {
    const events = commit.numberEvents?.(0).operations ?? [];
    if (!isDeletion([...commit.operations, ...events]))
      return writeWithinReserve([commit]);
    try {
      write([commit]);
    } catch (error) {
      if (!isDiskFull(error) || !reserve.spend()) throw error;
      makeRoom();
      write([commit]);
    }
  }

  return {
    /** Writes what it can of several batches, rejects the others, and returns what was written. */
    writeAll(commits: readonly PendingCommit[]): readonly PendingCommit[] {
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
    },
    /** Writes what some work hands over. */
    async rewrite(work: RewriteWork): Promise<void> {
      if (!reserve.isKept()) throw diskFull();
      await rewrite(work);
    },
  };
}

export const diskFull = () =>
  Object.assign(new Error("The disk is full."), { code: "ENOSPC" });

/** Collects what is to be written meanwhile into one group, which is written and flushed as one. */
export function createGroupCommit(
  reader: SnapshotReader,
  log: LogFlusher,
  writer: ReturnType<typeof createSqliteWriter>,
) {
  let pending: PendingCommit[] = [];
  let flushing: Promise<void> | undefined;
  /** Why nothing is written any more. */
  let fault: Fault | undefined;

  async function flush(): Promise<void> {
    let commits: readonly PendingCommit[] = pending;
    pending = [];
    const rejectAll = (error: unknown) =>
      commits.forEach((commit) => commit.reject(error));
    if (fault) return rejectAll(fault.error);
    try {
      if (commits.length > 0) reader.hold();
    } catch (error) {
      // Nothing is written yet, so the next group may have more luck.
      return rejectAll(error);
    }
    try {
      if (commits.length > 0) commits = writer.writeAll(commits);
      if (commits.length > 0) await log.flush();
      reader.release();
      for (const commit of commits) commit.resolve(commit.newest);
      await log.shorten((failed) => {
        fault ??= failed;
        begin();
      });
    } catch (error) {
      fault = { error };
      rejectAll(error);
    }
  }

  async function rewriteAlone(work: RewriteWork): Promise<void> {
    if (fault) throw fault.error;
    reader.hold();
    try {
      await writer.rewrite(work);
    } catch (error) {
      reader.release();
      throw error;
    } finally {
      log.endHold();
    }
    await log.flush().catch((cause: unknown) => {
      fault = { error: cause };
      const unknown = new Error("Not known whether it is on disk.", { cause });
      throw Object.assign(unknown, { code: "STORE_UNSETTLED" });
    });
    reader.release();
  }

  const hasWork = () => pending.length > 0 || (log.isToBeShortened && !fault);

  /** Holds back what is to be written meanwhile: it is the next group. */
  async function occupy(work: Promise<void>): Promise<void> {
    const end = () => {
      flushing = undefined;
      if (hasWork()) setImmediate(begin);
    };
    flushing = work.then(end, end);
    await work;
  }

  /** Flushes until nothing is left that could be flushed at once. */
  function begin(): void {
    if (!flushing && hasWork()) void occupy(flush());
  }

  return {
    fault: () => fault,
    /** Resolves when the batch is on disk. */
    add: (...[operations, numberEvents]: Parameters<RangeDriver["commit"]>) =>
      new Promise<number>((resolve, reject) => {
        if (pending.length === 0 && !flushing) setImmediate(begin);
        pending.push({ operations, numberEvents, newest: 0, resolve, reject });
      }),
    begin,
    /** Resolves when what some work hands over is on disk. */
    async rewrite(work: RewriteWork): Promise<void> {
      while (flushing) await flushing;
      await occupy(rewriteAlone(work));
    },
    /** What is being written and flushed. */
    get flushing() {
      return flushing;
    },
  };
}
