import type { GantryError } from "@gantry/plugin";
import { folderErrors } from "./folder-errors.ts";
import { showPath } from "./folder-path.ts";

/** Converts an error of the file system to the error that a caller gets for a path. Rethrows what it does not know. */
export function toFileError(error: unknown, path: string): GantryError {
  const values = { path: showPath(path) };
  const extras = { cause: error };
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
    case "ENOTDIR":
    case "EINVAL":
      // EINVAL: a link became something else.
      return folderErrors.PATH_NOT_FOUND(values, extras);
    // ELOOP: there was no link when the path was looked at.
    case "ELOOP":
      return folderErrors.PATH_OUTSIDE(values, extras);
    case "ENAMETOOLONG":
      return folderErrors.PATH_INVALID(values, extras);
    case "EACCES":
    case "EPERM":
      return folderErrors.FILE_UNREADABLE(values, extras);
    case "EISDIR":
    case "ENXIO":
      return folderErrors.FILE_NOT_REGULAR(values, extras);
    default:
      throw error;
  }
}

/** As {@link toFileError}, for writing. */
export function toWriteError(error: unknown, path: string): GantryError {
  const values = { path: showPath(path) };
  const extras = { cause: error };
  switch ((error as NodeJS.ErrnoException).code) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return folderErrors.FILE_READ_ONLY(values, extras);
    case "ENOSPC":
    case "EDQUOT":
      return folderErrors.FILE_DISK_FULL(values, extras);
    case "EEXIST":
      return folderErrors.FILE_CHANGED(values, extras);
    default:
      return toFileError(error, path);
  }
}
