import { isGantryError, type GantryError } from "@gantry/plugin";
import { errors } from "../errors.ts";

/** What is wrong with one snapshot, as errors that name it. */
export interface Refusals {
  /** It is not what was written. */
  corrupt(reason: string, cause?: unknown): GantryError;
  /** No writer makes such a thing. */
  invalid(reason: string, cause?: unknown): GantryError;
  tooLarge(reason: string, cause?: unknown): GantryError;
}

/** @param id The snapshot's id, or the name of its folder while that is not known. */
export function createRefusals(id: string): Refusals {
  return {
    corrupt: (reason, cause) =>
      errors.BACKUP_SNAPSHOT_CORRUPT({ id, reason }, { cause }),
    invalid: (reason, cause) =>
      errors.BACKUP_SNAPSHOT_INVALID({ id, reason }, { cause }),
    tooLarge: (reason, cause) =>
      errors.BACKUP_SNAPSHOT_TOO_LARGE({ id, reason }, { cause }),
  };
}

export const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
/** What the system says of a folder that is not there, is read-only, or is on a disk that was taken away. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  ENOENT: "a part of it is not there",
  ENOTDIR: "a part of it is not a folder",
  EACCES: "access is not allowed",
  EPERM: "access is not allowed",
  EROFS: "its disk is read-only",
  EIO: "its disk reports a fault",
  ENXIO: "its disk is not connected",
  ENODEV: "its disk is not connected",
  ESTALE: "its disk is not connected",
  ENOTCONN: "its disk is not connected",
  EHOSTDOWN: "its server does not answer",
  EHOSTUNREACH: "its server does not answer",
  ETIMEDOUT: "its server does not answer",
  EBUSY: "it is in use",
  ELOOP: "a part of it is a symbolic link",
};

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error
    ? (error as NodeJS.ErrnoException).code
    : undefined;
}

/** How much is missing on a full disk, in words; `undefined` if that is not known. */
export type MissingBytes = number | undefined;

/** Says that a disk is full. */
export function diskFull(
  folder: string,
  missing: MissingBytes,
  cause?: unknown,
): GantryError {
  const needed =
    missing === undefined ? "some megabytes" : `about ${toMegabytes(missing)}`;
  return errors.BACKUP_DISK_FULL({ folder, needed }, { cause });
}

function toMegabytes(bytes: number): string {
  return `${Math.max(1, Math.ceil(bytes / 1e6)).toLocaleString("en")} MB`;
}

/** Turns a fault of the system on a folder that is read or written into an error of the table. Others stay as they are. */
export function toFolderError(
  error: unknown,
  folder: string,
  missing?: MissingBytes,
): unknown {
  if (isGantryError(error)) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  if (FULL.has(code)) return diskFull(folder, missing, error);
  // Codes of Node itself come without a call.
  const isOfSystem = (error as NodeJS.ErrnoException).syscall !== undefined;
  const reason =
    UNAVAILABLE[code] ?? (isOfSystem ? `its disk answers ${code}` : undefined);
  return reason === undefined
    ? error
    : errors.BACKUP_FOLDER_UNAVAILABLE({ folder, reason }, { cause: error });
}
