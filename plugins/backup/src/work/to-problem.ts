import { describeError, isGantryError } from "@gantry/plugin";
import type { BackupProblem } from "../contract.ts";

/** As the kernel calls a fault that no table has. */
const KERNEL_FAULT = "KERNEL_FAULT";

/** What is stored and shown of an error. */
export function toProblem(error: unknown, at: string): BackupProblem {
  return isGantryError(error)
    ? { code: error.code, message: error.message, at }
    : { code: KERNEL_FAULT, message: describeError(error), at };
}

const DAMAGE = new Set([
  "BACKUP_SNAPSHOT_CORRUPT",
  "BACKUP_SNAPSHOT_INVALID",
  "BACKUP_SNAPSHOT_TOO_LARGE",
  "BACKUP_REHEARSAL_FAILED",
]);

/** Whether an error is about the snapshot itself, rather than about access to it. */
export function isDamage(error: unknown): boolean {
  return isGantryError(error) && DAMAGE.has(error.code);
}
