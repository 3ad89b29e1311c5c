import type { LogFlusher } from "./log-flusher.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import type { createSqliteWriter, PendingCommit } from "./sqlite-writer.ts";
import type { WireOperation } from "./stored-value.ts";

/**
 * Collects what is to be written within one turn of the event loop, or while the disk writes what was before, into one
 * group with one flush. After a flush that failed it is not known what is on disk: nothing more is written, and the
 * reader stays with what was acknowledged.
 */
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
    add: (operations: readonly WireOperation[]) =>
      new Promise<void>((resolve, reject) => {
        if (pending.length === 0 && !flushing) setImmediate(begin);
        pending.push({ operations, resolve, reject });
      }),
    begin,
    /** Waits for what is being written. */
    async settle() {
      while (flushing) await flushing;
    },
    /** Writes all that is still to be written. */
    async finish() {
      for (begin(); flushing; begin()) await flushing;
    },
  };
}
