import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isGantryError, type GantryError } from "@gantry/plugin";
import { backupFolder } from "./backup-folder.ts";
import type { Manifest } from "./manifest.ts";
import { readManifest } from "./manifest-file.ts";
import { byNewest, isFolderName, MANIFEST_FILE } from "./names.ts";
import { codeOf, toFolderError } from "./refusals.ts";

/** A folder that has a manifest. */
export type ListedSnapshot = {
  /** Absolute path of its folder. */
  path: string;
  /** Name of its folder, which begins with its time in UTC. */
  name: string;
} & (
  | { manifest: Manifest; problem: null }
  | {
      manifest: null;
      /** BACKUP_SNAPSHOT_CORRUPT, BACKUP_SNAPSHOT_INVALID, BACKUP_SNAPSHOT_TOO_LARGE or BACKUP_SNAPSHOT_TOO_NEW. */
      problem: GantryError;
    }
);

/**
 * Lists the snapshots in a folder, newest first. Reads manifests and nothing else.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE also without a `gantry-backup` folder in it
 */
export async function listSnapshots(folder: string): Promise<ListedSnapshot[]> {
  const listed: ListedSnapshot[] = [];
  for (const { name, path, hasManifest } of await listFolders(folder))
    if (hasManifest) listed.push(await readListed(name, path));
  return listed;
}

/** A folder that is called like a snapshot's. */
export interface SnapshotFolder {
  name: string;
  path: string;
  /** Without one it is being written, or was interrupted. */
  hasManifest: boolean;
}

/** Folders of snapshots, also of those that are not whole, newest first. Links are none. */
export async function listFolders(folder: string): Promise<SnapshotFolder[]> {
  const backup = await backupFolder(folder);
  try {
    const entries = await readdir(backup, { withFileTypes: true });
    const names = entries
      .filter((entry) => entry.isDirectory() && isFolderName(entry.name))
      .map(({ name }) => name)
      .sort(byNewest);
    const folders: SnapshotFolder[] = [];
    for (const name of names) {
      const path = join(backup, name);
      folders.push({ name, path, hasManifest: await isThere(path) });
    }
    return folders;
  } catch (error) {
    throw toFolderError(error, folder);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(join(path, MANIFEST_FILE));
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function readListed(name: string, path: string): Promise<ListedSnapshot> {
  try {
    const manifest = await readManifest(path);
    return { name, path, manifest, problem: null };
  } catch (error) {
    const isOfSnapshot =
      isGantryError(error) && error.code.startsWith("BACKUP_SNAPSHOT_");
    if (!isOfSnapshot) throw error;
    return { name, path, manifest: null, problem: error };
  }
}
