import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { errors } from "../errors.ts";
import { BACKUP_FOLDER } from "./names.ts";
import { toFolderError } from "./refusals.ts";

/**
 * The folder that snapshots are in. It is never made here: a disk that is not connected leaves an empty folder behind, and what is
 * written there would be on the wrong disk.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE
 */
export async function backupFolder(folder: string): Promise<string> {
  const path = join(folder, BACKUP_FOLDER);
  const stats = await lstat(path).catch((error: unknown) => {
    throw toFolderError(error, folder);
  });
  if (stats.isDirectory()) return path;
  const reason = `${BACKUP_FOLDER} in it is not a folder`;
  throw errors.BACKUP_FOLDER_UNAVAILABLE({ folder, reason });
}
