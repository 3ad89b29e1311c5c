import { isGantryError } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";

const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOT_A_DATABASE = 26;

/** A batch was refused because a key is there that it must not find. */
export class ConflictError extends Error {
  readonly code = "STORE_CONFLICT";

  constructor(key: string) {
    super(`There is a value under ${key}.`);
  }
}

/** Whether a write failed for want of room. */
export function isDiskFull(fault: unknown): boolean {
  const { errcode, code } = fault as { errcode?: number; code?: string };
  return errcode === SQLITE_FULL || code === "ENOSPC" || code === "EDQUOT";
}

/** Whether the database file is none, or is broken. Extended codes carry the primary one in their lowest byte. */
export function isDamaged(fault: unknown): boolean {
  const code = ((fault as { errcode?: number }).errcode ?? 0) & 0xff;
  return code === SQLITE_CORRUPT || code === SQLITE_NOT_A_DATABASE;
}

/** Whether an operation failed because the storage does not work, which is no fault of what it stores. */
export const isStorageFailure = (error: unknown) =>
  isGantryError(error) && error.code.startsWith("STORAGE_");

/** Whether a batch was refused because something is there that it must not find. */
export const isConflict = (error: unknown) =>
  isGantryError(error) && error.code === "STORE_CONFLICT";

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
