import type { WholeHome } from "@gantry/plugin";
import type { Manifest } from "./manifest.ts";
import type { OnProgress } from "./progress.ts";

/** What is needed of the home that is copied. */
export type SnapshotSource = Pick<
  WholeHome,
  "version" | "folder" | "data" | "plugins" | "readStore"
>;

/** A snapshot that is to be made. */
export interface SnapshotRequest {
  home: SnapshotSource;
  /** The folder that was chosen; it must be there. */
  folder: string;
  /** As `createIdentifier("snap")` gives it. */
  id: string;
  /** RFC 3339 UTC with milliseconds. */
  createdAt: string;
  reason: Manifest["reason"];
  includeTranscripts: boolean;
  includeSecrets: boolean;
  /** Public key that all is encrypted to (`age1…`); plain without one. */
  recipient?: string | undefined;
  /** Writes all content again, also what is there already: after a verification that failed. */
  rewrites?: boolean;
  signal: AbortSignal;
  onProgress?: OnProgress;
}

/**
 * Makes a snapshot. Nothing of it is listed before its manifest is in place; on failure or abort its folder is removed again,
 * and what it added to the shared content goes with the next `collectUnused`.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE, BACKUP_DISK_FULL, BACKUP_SECRETS_PLAIN, what `readStore` throws, and the signal's reason
 */
export function writeSnapshot(request: SnapshotRequest): Promise<Manifest> {
  return Promise.reject(new Error(`Not written yet: ${request.id}`));
}
