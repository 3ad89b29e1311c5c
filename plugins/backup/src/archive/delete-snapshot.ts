/**
 * Deletes a snapshot: its manifest first, so that half of it is never listed. Content that no other snapshot has goes with the next
 * `collectUnused`. Twice is harmless.
 *
 * @param path Folder of the snapshot, as `listSnapshots` gave it.
 * @throws BACKUP_FOLDER_UNAVAILABLE; a TypeError for a path that is no snapshot's
 */
export function deleteSnapshot(path: string): Promise<void> {
  return Promise.reject(new Error(`Not written yet: ${path}`));
}
