import { checkKeyFile } from "../archive/backup-key.ts";
import { toFolderError } from "../archive/refusals.ts";
import { errors } from "../errors.ts";
import type { KeyRing } from "./key-ring.ts";

/**
 * Makes sure that a key's file is in its backup folder as it was written: with a damaged one, the right passphrase is refused on
 * another machine. What is missing or damaged is put back from this machine.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE if it is not on this machine either
 */
export async function ensureKey(
  keys: KeyRing,
  folder: string,
  recipient: string,
): Promise<void> {
  const state = await checkKeyFile(folder);
  if (state === "intact") return;
  const isBack = await keys
    .bringTo(folder, recipient)
    .catch((error: unknown) => {
      throw toFolderError(error, folder);
    });
  if (isBack || state === "without-digest") return;
  const reason = `the key of encrypted snapshots is ${state} in it, and this machine has no copy; set the passphrase again`;
  throw errors.BACKUP_FOLDER_UNAVAILABLE({ folder, reason });
}
