import { lstat, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { flush } from "@gantry/plugin/files";
import { BACKUP_FOLDER, isFolderName, MANIFEST_FILE } from "./names.ts";
import { codeOf, toFolderError } from "./refusals.ts";

/**
 * Deletes a snapshot: its manifest first, so that half of it is never listed. Content that no other snapshot has goes with the next
 * `collectUnused`. Twice is harmless.
 *
 * @param path Folder of the snapshot, as `listSnapshots` gave it.
 * @throws BACKUP_FOLDER_UNAVAILABLE; a TypeError for a path that is no snapshot's
 */
export async function deleteSnapshot(path: string): Promise<void> {
  const folder = resolve(path);
  const backup = dirname(folder);
  if (!isFolderName(basename(folder)) || basename(backup) !== BACKUP_FOLDER)
    throw new TypeError(`${path} is not the folder of a snapshot.`);
  try {
    // A folder that is gone is deleted; a disk that is gone is not.
    await lstat(backup);
    const stats = await lstat(folder).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (!stats) return;
    if (!stats.isDirectory())
      throw new TypeError(`${path} is not the folder of a snapshot.`);
    // In its place there may be a folder.
    await rm(join(folder, MANIFEST_FILE), { recursive: true, force: true });
    await flush(folder);
    await rm(folder, { recursive: true, force: true });
    await flush(backup);
  } catch (error) {
    throw toFolderError(error, dirname(backup));
  }
}
