import type { GantryError } from "@gantry/plugin";
import type { Manifest } from "./manifest.ts";

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
 * Lists the snapshots in a folder, newest first. Reads manifests and nothing else; without a `gantry-backup` folder there are
 * none.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE
 */
export function listSnapshots(folder: string): Promise<ListedSnapshot[]> {
  return Promise.reject(new Error(`Not written yet: ${folder}`));
}
