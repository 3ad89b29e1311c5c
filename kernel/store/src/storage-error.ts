import { isGantryError } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";

const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOT_A_DATABASE = 26;

/** Whether a write failed for want of room. */
export function isDiskFull(fault: unknown): boolean {
  const { errcode, code } = fault as { errcode?: number; code?: string };
  return errcode === SQLITE_FULL || code === "ENOSPC" || code === "EDQUOT";
}

/** Whether an operation failed because the database file is none, or is broken. */
export function isDamaged(error: unknown): boolean {
  const { cause, errcode = 0 } = error as { cause?: unknown; errcode?: number };
  // Extended codes carry the primary one in their lowest byte.
  const code = errcode & 0xff;
  if (code === SQLITE_CORRUPT || code === SQLITE_NOT_A_DATABASE) return true;
  return cause instanceof Error && isDamaged(cause);
}

/** Whether an operation failed because the storage does not work, which is no fault of what it stores. */
export const isStorageFailure = (error: unknown) =>
  isGantryError(error) && error.code.startsWith("STORAGE_");

/** Whether a batch was refused because something is there that it must not find. */
export const isConflict = (error: unknown) =>
  isGantryError(error) && error.code === "STORE_CONFLICT";

/** Whether it is not known if a rewrite is durable. */
export const isUnsettled = (error: unknown) =>
  (error as { code?: string }).code === "STORE_UNSETTLED";

/** Says what failed in words that a client may see; the fault itself is kept as the cause. */
export function toStorageError(cause: unknown): Error {
  if ((cause as { code?: string }).code === "STORE_CONFLICT")
    return errors.STORE_CONFLICT({}, { cause });
  return isDiskFull(cause)
    ? errors.STORAGE_FULL({}, { cause })
    : errors.STORAGE_UNAVAILABLE({}, { cause });
}

/** Throws what failed, see {@link toStorageError}. */
export function refuse(cause: unknown): never {
  throw toStorageError(cause);
}
