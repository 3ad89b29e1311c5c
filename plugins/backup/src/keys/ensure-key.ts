import { checkKeyFile } from "../archive/backup-key.ts";
import { listSnapshots } from "../archive/list-snapshots.ts";
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
  const isBack = await putBack(keys, folder, recipient);
  if (isBack || state === "without-digest") return;
  const reason = `the key of encrypted snapshots is ${state} in it, and this machine has no copy; set the passphrase again`;
  throw errors.BACKUP_FOLDER_UNAVAILABLE({ folder, reason });
}

/**
 * The same where new snapshots are plain, for the earlier ones that are encrypted. A file that is not on this machine is left as it
 * is: a plain snapshot can be made without it, and a verification of an encrypted one reports it.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE
 */
export async function ensureEarlierKey(
  keys: KeyRing,
  folder: string,
): Promise<void> {
  if ((await checkKeyFile(folder)) === "intact") return;
  const recipient = await findEarlierRecipient(keys, folder);
  if (recipient !== undefined) await putBack(keys, folder, recipient);
}

/**
 * The public key of the newest encrypted snapshot in a folder whose secret half is on this machine.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE
 */
export async function findEarlierRecipient(
  keys: KeyRing,
  folder: string,
): Promise<string | undefined> {
  const known = new Set<string | null | undefined>(await keys.recipients());
  // Where nothing was ever encrypted, no manifest need be read.
  if (known.size === 0) return undefined;
  const snapshots = await listSnapshots(folder);
  const newest = snapshots.find(({ manifest }) =>
    known.has(manifest?.recipient),
  );
  return newest?.manifest?.recipient ?? undefined;
}

function putBack(
  keys: KeyRing,
  folder: string,
  recipient: string,
): Promise<boolean> {
  return keys.bringTo(folder, recipient).catch((error: unknown) => {
    throw toFolderError(error, folder);
  });
}
