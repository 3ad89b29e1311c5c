import { errors } from "../errors.ts";

const SQLITE_FULL = 13;

/** Whether a write failed for want of room. */
export function isDiskFull(fault: unknown): boolean {
  const { errcode, code } = fault as { errcode?: number; code?: string };
  return errcode === SQLITE_FULL || code === "ENOSPC" || code === "EDQUOT";
}

/** Says what failed in words that a client may see; the fault itself is kept as the cause. */
export function toStorageError(cause: unknown): Error {
  return isDiskFull(cause)
    ? errors.STORAGE_FULL({}, { cause })
    : errors.STORAGE_UNAVAILABLE({}, { cause });
}
