import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { WireOperation } from "./range-driver.ts";

const RESERVE_BYTES = 1024 * 1024;
/** How much a deletion may also write: the event that reports it, a record that no longer points to it. */
const MAX_DELETION_BYTES = 16 * 1024;

/** Disk space reserved for deletions, so that a full disk can be emptied. */
export interface DiskReserve {
  /** False while the disk is full: then only deletions are written. Becomes true by itself when there is room again. */
  isKept(): boolean;
  /** Frees the reserved space; returns false if it was freed before. */
  spend(): boolean;
}

/** Reserves the space, if there is any. @param file Path of the file that holds it. */
export function keepDiskReserve(file: string): DiskReserve {
  let kept = take();

  function take(): boolean {
    try {
      // Written and not only sized, since a sparse file takes no space.
      writeFileSync(file, Buffer.alloc(RESERVE_BYTES), { mode: 0o600 });
      return true;
    } catch {
      rmSync(file, { force: true });
      return false;
    }
  }

  return {
    isKept() {
      if (kept) return true;
      const { bavail, bsize } = statfsSync(dirname(file));
      // Twice, so that the first record after that does not spend it again.
      if (bavail * bsize >= 2 * RESERVE_BYTES) kept = take();
      return kept;
    },
    spend() {
      if (!kept) return false;
      rmSync(file, { force: true });
      kept = false;
      return true;
    },
  };
}

/** Whether a batch removes something and writes little. */
export function isDeletion(operations: readonly WireOperation[]): boolean {
  const written = operations.reduce(
    (bytes, operation) =>
      operation.type === "set" ? bytes + operation.value.length : bytes,
    0,
  );
  return (
    written <= MAX_DELETION_BYTES &&
    operations.some(({ type }) => type === "remove")
  );
}
