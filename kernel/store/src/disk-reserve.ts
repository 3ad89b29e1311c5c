import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { TextOperation } from "./range-driver.ts";

const RESERVE_BYTES = 1024 * 1024;
/** What a deletion may write beside: the event about it, a record that no longer points to it. */
const MAX_DELETION_BYTES = 16 * 1024;

/** Keeps room on the disk for deletions, if there is any, so that a full disk can be emptied. */
export function keepDiskReserve(file: string) {
  let kept = take();

  function take(): boolean {
    try {
      // Written and not only sized, since a file with holes takes no room.
      writeFileSync(file, Buffer.alloc(RESERVE_BYTES), { mode: 0o600 });
      return true;
    } catch {
      giveBack();
      return false;
    }
  }

  function giveBack(): void {
    try {
      rmSync(file, { force: true });
    } catch {
      // Something else is in its place, such as a folder: there is no reserve, and the store works without.
    }
  }

  return {
    /** False while the disk is full: then only deletions are written. Becomes true by itself when there is room again. */
    isKept(): boolean {
      if (kept) return true;
      const { bavail, bsize } = statfsSync(dirname(file));
      // Twice, so that the first record after that does not spend it again.
      if (bavail * bsize >= 2 * RESERVE_BYTES) kept = take();
      return kept;
    },
    /** Gives the room back to the disk; false if it was spent before. */
    spend(): boolean {
      if (!kept) return false;
      giveBack();
      kept = false;
      return true;
    },
  };
}

/** Whether a batch removes something and writes little. */
export function isDeletion(operations: readonly TextOperation[]): boolean {
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
