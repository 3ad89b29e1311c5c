import { isGantryError } from "@gantry/plugin";
import {
  checkKeyFile,
  createKey,
  hasKey,
  replacePassphrase,
  type BackupKey,
  type KeyOptions,
} from "../archive/backup-key.ts";
import { errors } from "../errors.ts";
import type { StoredSettings } from "../settings/backup-record.ts";
import { findEarlierRecipient } from "./ensure-key.ts";
import type { KeyRing } from "./key-ring.ts";

/** Dependencies of {@link createEncryption}. */
export interface EncryptionHost {
  keys: KeyRing;
  keyOptions?: KeyOptions;
}

/** Decides what snapshots are encrypted to. */
export interface Encryption {
  /**
   * The public key for snapshots from now on; `null` for plain ones. The folder then has its key's file, so that the passphrase
   * alone opens them on another machine.
   *
   * @param passphrase `null` ends encryption; without one it stays as it is.
   * @throws BACKUP_PASSPHRASE_WRONG if the folder has a key that is not known here and that the passphrase does not open,
   *   BACKUP_FOLDER_INVALID if it has another key than the one in use and no passphrase is given
   */
  choose(
    before: StoredSettings,
    folder: string | null,
    passphrase: string | null | undefined,
  ): Promise<string | null>;
}

/** Makes the decisions on a ring of keys. */
export function createEncryption({
  keys,
  keyOptions,
}: EncryptionHost): Encryption {
  /** Opens the key of a folder, or gives it this passphrase if the key is known here. */
  async function openOrLockAnew(
    folder: string,
    passphrase: string,
    used: string | null,
  ): Promise<BackupKey | undefined> {
    const lockAnew = async (key: BackupKey) => {
      await replacePassphrase(folder, key, passphrase, keyOptions);
      return key;
    };
    const state = await checkKeyFile(folder);
    if (state === "missing" || state === "damaged") {
      const recipient = used ?? (await findEarlierRecipient(keys, folder));
      const identity = recipient && (await keys.find(recipient));
      if (identity) return await lockAnew({ identity, recipient });
    }
    try {
      return await keys.open(folder, passphrase);
    } catch (error) {
      const isWrong =
        isGantryError(error) && error.code === "BACKUP_PASSPHRASE_WRONG";
      const key = isWrong ? await keys.findIn(folder) : undefined;
      if (!key) throw error;
      return await lockAnew(key);
    }
  }

  return {
    async choose(before, folder, passphrase) {
      if (passphrase === null) return null;
      if (passphrase !== undefined && folder !== null) {
        const key =
          (await openOrLockAnew(
            folder,
            passphrase,
            folder === before.folder ? before.recipient : null,
          )) ?? (await createKey(folder, passphrase, keyOptions));
        await keys.keep(key, folder);
        return key.recipient;
      }
      const { recipient } = before;
      if (recipient !== null && folder !== null && folder !== before.folder)
        await bringKey(keys, folder, recipient);
      return recipient;
    },
  };
}

/**
 * Makes sure that a backup folder has the key's file, with which the passphrase opens its snapshots on another machine.
 *
 * @throws BACKUP_FOLDER_INVALID if it has another key, or the file is not here
 */
export async function bringKey(
  keys: KeyRing,
  folder: string,
  recipient: string,
): Promise<void> {
  if ((await keys.findIn(folder))?.recipient === recipient) return;
  const refuse = (reason: string) =>
    errors.BACKUP_FOLDER_INVALID({ folder, reason });
  if (await hasKey(folder))
    throw refuse(
      "it has the key of other encrypted snapshots; give the passphrase of that with it",
    );
  if (!(await keys.bringTo(folder, recipient)))
    throw refuse(
      "the key of encrypted snapshots is not on this machine; give the passphrase with it",
    );
}
