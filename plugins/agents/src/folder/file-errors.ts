import { basename } from "node:path";
import type { GantryError } from "@gantry/plugin";
import type { PlaceFault } from "@gantry/plugin/files";
import { errors } from "../errors.ts";
import { showPath } from "./folder-path.ts";

/** What a fault of the file system means to the client that asked for a path; other errors are rethrown as they are. */
export function toFileError(error: unknown, path: string): GantryError {
  const values = { path: showPath(path) };
  const extras = { cause: error };
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
    case "ENOTDIR":
    case "EINVAL":
      // The last is a link that became something else.
      return errors.PATH_NOT_FOUND(values, extras);
    // A link where a moment ago there was none.
    case "ELOOP":
      return errors.PATH_OUTSIDE(values, extras);
    case "ENAMETOOLONG":
      return errors.PATH_INVALID(values, extras);
    case "EACCES":
    case "EPERM":
      return errors.FILE_UNREADABLE(values, extras);
    case "EISDIR":
    case "ENXIO":
      return errors.FILE_NOT_REGULAR(values, extras);
    default:
      return toDiskError(error, path);
  }
}

/** Anything else that the disk answers: busy, broken, gone. What does not come from the system is thrown on. */
function toDiskError(error: unknown, path: string): GantryError {
  const { code, syscall, aside } = error as PlaceFault;
  if (typeof code !== "string" || syscall === undefined) throw error;
  const state =
    aside === undefined
      ? "it is as it was"
      : `it was not written whole, and what was in it is in "${basename(aside)}" beside it`;
  return errors.FILE_DISK_FAULT(
    { path: showPath(path), code, state },
    { cause: error },
  );
}

/** The same for writing. */
export function toWriteError(error: unknown, path: string): GantryError {
  const values = { path: showPath(path) };
  const extras = { cause: error };
  if ((error as PlaceFault).aside) return toDiskError(error, path);
  switch ((error as NodeJS.ErrnoException).code) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return errors.FILE_READ_ONLY(values, extras);
    case "ENOSPC":
    case "EDQUOT":
      return errors.FILE_DISK_FULL(values, extras);
    case "EEXIST":
      return errors.FILE_CHANGED(values, extras);
    default:
      return toFileError(error, path);
  }
}
