import { openSnapshot, type SnapshotReader } from "../archive/open-snapshot.ts";
import { ensureKey } from "../keys/ensure-key.ts";
import { openForReading, type ReadingOrder } from "./open-for-reading.ts";

/**
 * Opens a snapshot that is to be restored on trial. Of an encrypted one, the file of its key is in the backup folder afterwards:
 * without it the snapshot could be restored here, and nowhere else. Whether new snapshots are encrypted does not matter.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE if that file is damaged and not on this machine either, and what `openForReading` does
 */
export async function openForVerification(
  order: ReadingOrder,
): Promise<SnapshotReader> {
  const { snapshot, keys, folder } = order;
  const { recipient } = (await openSnapshot(snapshot.path)).manifest;
  if (recipient !== null) await ensureKey(keys, folder, recipient);
  return await openForReading(order);
}
