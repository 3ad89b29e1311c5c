import { errors } from "../errors.ts";

const SQLITE_FULL = 13;

/** Says what failed in words that a client may see; the fault itself is kept as the cause. */
export function toStorageError(cause: unknown): Error {
  const fault = cause as { errcode?: number; code?: string };
  const full =
    fault.errcode === SQLITE_FULL ||
    fault.code === "ENOSPC" ||
    fault.code === "EDQUOT";
  return full
    ? errors.STORAGE_FULL({}, { cause })
    : errors.STORAGE_UNAVAILABLE({}, { cause });
}
