import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isGantryError } from "@gantry/plugin";
import { removeLeftDrafts, replaceFile } from "@gantry/plugin/files";
import { isKeyDigest, openKey, type BackupKey } from "../archive/backup-key.ts";
import { MAX_KEY_FILE_BYTES } from "../archive/limits.ts";
import { BACKUP_FOLDER, KEY_DIGEST_FILE, KEY_FILE } from "../archive/names.ts";
import { readSmallFile } from "../archive/plain-file.ts";
import { createTurns } from "../jobs/turns.ts";

const IDENTITY_FILE = "identity";
const RECIPIENT = /^age1[a-z0-9]{10,200}$/;
/** The digest first: a key with the digest of another counts as damaged, a digest without a key as none. */
const LOCKED_FILES = [KEY_DIGEST_FILE, KEY_FILE] as const;

/**
 * Keys of backup folders that were opened on this machine, in the plugin's own folder, which no snapshot holds. Snapshots of a key
 * that is here open without a passphrase.
 */
export interface KeyRing {
  /** The secret half of a key, such as `AGE-SECRET-KEY-1…`; `undefined` if it is not here. */
  find(recipient: string): Promise<string | undefined>;
  /**
   * Opens the key of a backup folder with its passphrase; `undefined` if it has none. One at a time, since each takes a second and
   * 256 MiB.
   *
   * @param signal Gives it up before its turn.
   * @throws what `openKey` does, and the signal's reason
   */
  open(
    folder: string,
    passphrase: string,
    signal?: AbortSignal,
  ): Promise<BackupKey | undefined>;
  /** Public halves of the keys that are here. */
  recipients(): Promise<string[]>;
  /** Keeps a key, and its files of the backup folder, which only the passphrase opens. */
  keep(key: BackupKey, folder: string): Promise<void>;
  /** The key whose file is in a backup folder; `undefined` if that has none, or one that was never opened here. */
  findIn(folder: string): Promise<BackupKey | undefined>;
  /**
   * Writes the key's files into a backup folder; what is in their places is kept beside them. Gives `false` if they are not here,
   * or not what was written.
   */
  bringTo(folder: string, recipient: string): Promise<boolean>;
  /** Removes what a killed daemon left of keys that it was writing. */
  removeDrafts(): Promise<void>;
}

/**
 * @param folder The plugin's own folder.
 * @param afterWrong Holds up the next passphrase after a wrong one. Rejects never.
 */
export function createKeyRing(
  folder: string,
  afterWrong: () => Promise<void> = () => Promise.resolve(),
): KeyRing {
  const keys = join(folder, "keys");
  const tries = createTurns(async (error) => {
    if (isGantryError(error) && error.code === "BACKUP_PASSPHRASE_WRONG")
      await afterWrong();
  });
  const placeOf = (recipient: string) => {
    if (!RECIPIENT.test(recipient))
      throw new TypeError(`"${recipient}" is no public key.`);
    return join(keys, recipient);
  };

  async function find(recipient: string): Promise<string | undefined> {
    const file = join(placeOf(recipient), IDENTITY_FILE);
    return (await readKeyFile(file))?.toString("latin1").trim();
  }

  async function recipients(): Promise<string[]> {
    const names = await readdir(keys).catch(() => []);
    return names.filter((name) => RECIPIENT.test(name));
  }

  return {
    find,
    recipients,
    open: (from, passphrase, signal) =>
      tries.take(() => openKey(from, passphrase), signal),
    async keep({ identity, recipient }, from) {
      const place = placeOf(recipient);
      await mkdir(place, { recursive: true, mode: 0o700 });
      for (const name of LOCKED_FILES) {
        const content = await readKeyFile(join(from, BACKUP_FOLDER, name));
        if (content) await replaceFile(join(place, name), content);
      }
      await replaceFile(join(place, IDENTITY_FILE), `${identity}\n`);
    },
    async findIn(other) {
      const there = await readKeyFile(join(other, BACKUP_FOLDER, KEY_FILE));
      if (!there) return undefined;
      for (const recipient of await recipients()) {
        const kept = await readKeyFile(join(placeOf(recipient), KEY_FILE));
        const identity = kept?.equals(there) && (await find(recipient));
        if (identity) return { identity, recipient };
      }
      return undefined;
    },
    async bringTo(to, recipient) {
      const place = placeOf(recipient);
      const contents = await Promise.all(
        LOCKED_FILES.map((name) => readKeyFile(join(place, name))),
      );
      const [digest, key] = contents;
      if (!key || !isKeyDigest(digest, key)) return false;
      for (const [at, name] of LOCKED_FILES.entries()) {
        await setAside(join(to, BACKUP_FOLDER), name);
        await replaceFile(join(to, BACKUP_FOLDER, name), contents[at]!);
      }
      return true;
    },
    async removeDrafts() {
      for (const recipient of await recipients())
        // What cannot be removed now is tried at the next start.
        await removeLeftDrafts(placeOf(recipient)).catch(() => 0);
    },
  };
}

/** Renames what is there: the user may have encrypted the key again by hand. A folder of that name would be in the way. */
async function setAside(folder: string, name: string): Promise<void> {
  const path = join(folder, name);
  if (!(await lstat(path).catch(() => undefined))) return;
  await rm(`${path}.replaced`, { recursive: true, force: true });
  await rename(path, `${path}.replaced`);
}

async function readKeyFile(path: string): Promise<Buffer | undefined> {
  const content = await readSmallFile(path, MAX_KEY_FILE_BYTES);
  return content === "too-large" ? undefined : content;
}
