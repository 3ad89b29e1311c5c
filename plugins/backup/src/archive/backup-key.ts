import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { flush, replaceFile } from "@gantry/plugin/files";
import type { Stanza } from "age-encryption";
import { errors } from "../errors.ts";
import { backupFolder } from "./backup-folder.ts";
import { MAX_KEY_FILE_BYTES } from "./limits.ts";
import { KEY_DIGEST_FILE, KEY_FILE } from "./names.ts";
import { readSmallFile, writeNewFile } from "./plain-file.ts";
import { codeOf, createRefusals, toFolderError } from "./refusals.ts";
import {
  createPassphraseIdentity,
  createPassphraseRecipient,
  DEFAULT_WORK_FACTOR,
} from "./scrypt-stanza.ts";

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
export async function createKey(
  folder: string,
  passphrase: string,
  options: KeyOptions = {},
): Promise<BackupKey> {
  const backup = await backupFolder(folder);
  const { generateX25519Identity } = await import("age-encryption");
  const key = await toKey(await generateX25519Identity());
  const content = await encryptKey(key, passphrase, options);
  const file = join(backup, KEY_FILE);
  try {
    await rm(join(backup, KEY_DIGEST_FILE), { force: true });
    await writeNewFile(file, content).catch(async (error: unknown) => {
      if (codeOf(error) !== "EEXIST") await rm(file, { force: true });
      throw error;
    });
    await flush(backup);
    await replaceFile(join(backup, KEY_DIGEST_FILE), digestLine(content));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw toFolderError(error, folder);
    const reason =
      "it has the key of encrypted snapshots already; give the passphrase of that";
    throw errors.BACKUP_FOLDER_INVALID({ folder, reason }, { cause: error });
  }
  return key;
}

/**
 * Opens the key of a backup folder; `undefined` if it has none.
 *
 * @param folder The folder that was chosen.
 * @throws BACKUP_PASSPHRASE_WRONG, BACKUP_SNAPSHOT_CORRUPT if the key's file is damaged, BACKUP_FOLDER_UNAVAILABLE
 */
export async function openKey(
  folder: string,
  passphrase: string,
): Promise<BackupKey | undefined> {
  const backup = await backupFolder(folder);
  const { corrupt } = createRefusals(KEY_FILE);
  const [content, digest] = await Promise.all([
    readKeyFile(folder, join(backup, KEY_FILE)),
    readKeyFile(folder, join(backup, KEY_DIGEST_FILE)),
  ]);
  if (!content) return undefined;
  const damaged = (cause: unknown) =>
    corrupt("the file of the key is not what was written", cause);
  const { Decrypter, armor } = await import("age-encryption");
  const decrypter = new Decrypter();
  const identity = createPassphraseIdentity(passphrase);
  let isOpened = false;
  let isRead = false;
  decrypter.addIdentity({
    async unwrapFileKey(stanzas: Stanza[]) {
      const fileKey = await identity.unwrapFileKey(stanzas);
      isRead = true;
      isOpened = fileKey !== null;
      return fileKey;
    },
  });
  try {
    // The user may have encrypted it again with `age -a -p`.
    const isArmored = content.subarray(0, 5).toString("latin1") === "-----";
    const bytes = isArmored
      ? armor.decode(content.toString("latin1"))
      : Uint8Array.from(content);
    const text = await decrypter.decrypt(bytes, "text");
    const [line] = /^AGE-SECRET-KEY-1[0-9A-Z]+$/m.exec(text) ?? [];
    if (!line) throw new Error("There is no secret key in it.");
    return await toKey(line);
  } catch (error) {
    // A damaged file and a wrong passphrase look the same; the digest of the file tells them apart.
    const isIntact = isKeyDigest(digest, content);
    if (isRead && !isOpened && (isIntact || !digest))
      throw errors.BACKUP_PASSPHRASE_WRONG({ id: KEY_FILE }, { cause: error });
    throw damaged(error);
  }
}

/** State of a key's file. Without a digest, it is unknown whether the file is as it was written. */
export type KeyFileState = "intact" | "without-digest" | "missing" | "damaged";

/**
 * Compares the file of the key of a backup folder with its digest.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE
 */
export async function checkKeyFile(folder: string): Promise<KeyFileState> {
  const backup = await backupFolder(folder);
  const read = (name: string) =>
    readSmallFile(join(backup, name), MAX_KEY_FILE_BYTES).catch(
      (error: unknown) => {
        throw toFolderError(error, folder);
      },
    );
  const content = await read(KEY_FILE);
  const digest = await read(KEY_DIGEST_FILE);
  if (content === undefined) return "missing";
  if (content === "too-large" || content.length === 0) return "damaged";
  if (digest === undefined) return "without-digest";
  return isKeyDigest(digest, content) ? "intact" : "damaged";
}

/** Whether a digest is that of the file of a key. */
export function isKeyDigest(
  digest: Buffer | "too-large" | undefined,
  content: Buffer,
): boolean {
  return digest?.toString("latin1") === digestLine(content);
}

/**
 * Whether a backup folder has a key. Its public half cannot be read without the passphrase: an unencrypted one could be replaced,
 * and snapshots would be encrypted for an attacker's key.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE
 */
export async function hasKey(folder: string): Promise<boolean> {
  const backup = await backupFolder(folder);
  return (await readKeyFile(folder, join(backup, KEY_FILE))) !== undefined;
}

/**
 * Encrypts the key of a backup folder with another passphrase. Snapshots stay as they are.
 *
 * @throws what `openKey` does, and BACKUP_FOLDER_INVALID if there is no key
 */
export async function changePassphrase(
  folder: string,
  passphrases: { from: string; to: string },
  options: KeyOptions = {},
): Promise<BackupKey> {
  const key = await openKey(folder, passphrases.from);
  if (!key)
    throw errors.BACKUP_FOLDER_INVALID({ folder, reason: "it has no key" });
  await replacePassphrase(folder, key, passphrases.to, options);
  return key;
}

/**
 * Encrypts a key of a backup folder that is open already with another passphrase. Snapshots stay as they are.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE, BACKUP_DISK_FULL
 */
export async function replacePassphrase(
  folder: string,
  key: BackupKey,
  passphrase: string,
  options: KeyOptions = {},
): Promise<void> {
  const content = await encryptKey(key, passphrase, options);
  const backup = await backupFolder(folder);
  try {
    // A crash between the two leaves a digest that does not fit, which matters only to a key that cannot be opened.
    await replaceFile(join(backup, KEY_FILE), content);
    await replaceFile(join(backup, KEY_DIGEST_FILE), digestLine(content));
  } catch (error) {
    throw toFolderError(error, folder);
  }
}

async function toKey(identity: string): Promise<BackupKey> {
  const { identityToRecipient } = await import("age-encryption");
  return { identity, recipient: await identityToRecipient(identity) };
}

async function encryptKey(
  { identity, recipient }: BackupKey,
  passphrase: string,
  { workFactor = DEFAULT_WORK_FACTOR }: KeyOptions,
): Promise<Uint8Array> {
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  encrypter.addRecipient(createPassphraseRecipient(passphrase, workFactor));
  // As `age-keygen` writes it, for `age -d -i`.
  return await encrypter.encrypt(`# public key: ${recipient}\n${identity}\n`);
}

/** As `sha256sum` writes it. */
function digestLine(content: Uint8Array): string {
  const digest = createHash("sha256").update(content).digest("hex");
  return `${digest}  ${KEY_FILE}\n`;
}

async function readKeyFile(
  folder: string,
  path: string,
): Promise<Buffer | undefined> {
  const content = await readSmallFile(path, MAX_KEY_FILE_BYTES).catch(
    (error: unknown) => {
      throw toFolderError(error, folder);
    },
  );
  if (content !== "too-large") return content;
  throw createRefusals(KEY_FILE).tooLarge(
    "the file of the key is larger than any key",
  );
}
