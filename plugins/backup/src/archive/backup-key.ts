/** The key of a backup folder. */
export interface BackupKey {
  /** Secret: opens every encrypted snapshot of the folder (`AGE-SECRET-KEY-1…`). */
  identity: string;
  /** Public: snapshots are encrypted to it (`age1…`). */
  recipient: string;
}

/** Options of what derives a key from a passphrase. */
export interface KeyOptions {
  /** Binary logarithm of the work that scrypt does; 18 takes about a second and 256 MiB. */
  workFactor?: number;
}

/**
 * Makes the key of a backup folder and keeps it there, encrypted with the passphrase.
 *
 * @throws BACKUP_FOLDER_INVALID if there is one already, BACKUP_FOLDER_UNAVAILABLE, BACKUP_DISK_FULL
 */
export function createKey(
  folder: string,
  passphrase: string,
  options: KeyOptions = {},
): Promise<BackupKey> {
  return Promise.reject(
    new Error(
      `Not written yet: ${folder} ${passphrase.length} ${typeof options}`,
    ),
  );
}

/**
 * Opens the key of a backup folder; `undefined` if it has none.
 *
 * @param folder The folder that was chosen.
 * @throws BACKUP_PASSPHRASE_WRONG, BACKUP_SNAPSHOT_CORRUPT if the key's file is damaged, BACKUP_FOLDER_UNAVAILABLE
 */
export function openKey(
  folder: string,
  passphrase: string,
): Promise<BackupKey | undefined> {
  return Promise.reject(
    new Error(`Not written yet: ${folder} ${passphrase.length}`),
  );
}

/** Whether a backup folder has a key, and the public half of it as far as it can be read without the passphrase. */
export function readRecipient(folder: string): Promise<string | undefined> {
  return Promise.reject(new Error(`Not written yet: ${folder}`));
}

/**
 * Encrypts the key of a backup folder with another passphrase. Snapshots stay as they are.
 *
 * @throws what `openKey` does, and BACKUP_FOLDER_INVALID if there is no key
 */
export function changePassphrase(
  folder: string,
  passphrases: { from: string; to: string },
  options: KeyOptions = {},
): Promise<BackupKey> {
  return Promise.reject(
    new Error(
      `Not written yet: ${folder} ${passphrases.to.length} ${typeof options}`,
    ),
  );
}
