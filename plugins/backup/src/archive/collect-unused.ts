/** What was collected. */
export interface Collected {
  /** Pieces of content that were removed. */
  pieces: number;
  /** Bytes that this gave back. */
  bytes: number;
  /** Folders of interrupted snapshots that were removed. */
  leftOvers: number;
  /** Why no content was removed, if so: a snapshot is being written, or it is not known what one of these refers to. */
  isHeldBy: string[];
}

/**
 * Removes content that no snapshot refers to, and left-overs of snapshots that were interrupted. Removes no content while a
 * snapshot is written into the folder, or while a snapshot's list of content cannot be read.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE and the signal's reason
 */
export function collectUnused(
  folder: string,
  signal?: AbortSignal,
): Promise<Collected> {
  return Promise.reject(
    new Error(`Not written yet: ${folder} ${signal?.aborted}`),
  );
}
