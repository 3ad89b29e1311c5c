import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { errors } from "../errors.ts";
import { checkRoom, checkUnused } from "./check-profile.ts";

/** Account that runs the browser of a daemon that runs as root, since Chromium's sandbox refuses root. */
const UNPRIVILEGED_USER = "nobody";

/** Where profiles are stored when the daemon runs as root. */
const SYSTEM_FOLDER = "/var/lib";
/** File that names the home to which the profiles beside it belong. */
const HOME_FILE = "home";

/** Files that a killed Chromium leaves in its profile; it would refuse to start with that profile again. */
const LOCK_FILES = ["SingletonLock", "SingletonSocket", "SingletonCookie"];

/** In the profile, since the browser's account can write nowhere else. */
const DOWNLOAD_FOLDER = "Gantry downloads";

/** A profile that a browser can be started with. */
export interface PreparedProfile {
  /** Chromium's `--user-data-dir`. */
  folder: string;
  /** Folder for downloads that are running; empty, since those of an earlier browser have ended with it. */
  downloadFolder: string;
  /** Account that owns it and runs the browser; `undefined` for the daemon's own. */
  user: string | undefined;
}

/** The profiles of this home, each in a folder that only the browser's account may enter. */
export interface Profiles {
  /**
   * Creates the folder of a profile if it is missing, and removes the lock files of a browser that has ended.
   *
   * @throws `BROWSER_SANDBOX` (503) if the daemon runs as root and this system has no unprivileged account,
   *   `BROWSER_PROFILE_IN_USE` (409), `BROWSER_DISK_FULL` (507)
   */
  prepare(profileId: string): Promise<PreparedProfile>;
  /** Removes a profile with its cookies, files and cache. */
  remove(profileId: string): Promise<void>;
}

/**
 * Creates the access to the profiles of a home, which are in its folder `browser`. When the daemon runs as root they are below
 * `/var/lib` instead, since the browser's account must not enter the home.
 */
export function createProfiles({
  home,
  isRoot,
}: {
  home: string;
  isRoot: boolean;
}): Profiles {
  const root = isRoot
    ? join(SYSTEM_FOLDER, toFolderName(home))
    : join(home, "browser");

  function folderOf(profileId: string): string {
    if (!/^[A-Za-z0-9_-]{1,100}$/.test(profileId))
      throw new RangeError(`${profileId} is not an id of a profile.`);
    return join(root, profileId);
  }

  return {
    async prepare(profileId) {
      const folder = folderOf(profileId);
      const account = isRoot
        ? await prepareSystemFolder(root, home)
        : undefined;
      await checkRoom(root);
      await checkUnused(folder);
      const downloadFolder = join(folder, DOWNLOAD_FOLDER);
      for (const name of [...LOCK_FILES, DOWNLOAD_FOLDER])
        await rm(join(folder, name), { recursive: true, force: true });
      for (const each of [folder, downloadFolder]) {
        await mkdir(each, { recursive: true, mode: 0o700 });
        if (account) await chown(each, account.uid, account.gid);
      }
      return { folder, downloadFolder, user: account?.name };
    },
    async remove(profileId) {
      const folder = folderOf(profileId);
      const doomed = `${folder}.removed-${randomUUID()}`;
      try {
        // Renamed first, so that an interrupted removal leaves nothing that looks like a profile.
        await rename(folder, doomed);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
        throw error;
      }
      await rm(doomed, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Creates the folder of the profiles of root's browsers, and returns the account that owns what is in it. */
async function prepareSystemFolder(
  root: string,
  home: string,
): Promise<Account> {
  const account = await findAccount(UNPRIVILEGED_USER);
  await mkdir(root, { recursive: true, mode: 0o711 });
  // Other accounts may pass through to their profiles, but cannot list the folder.
  await chmod(root, 0o711);
  await writeFile(join(root, HOME_FILE), home, { mode: 0o600 });
  return account;
}

function toFolderName(home: string): string {
  const key = createHash("sha256").update(home).digest("hex");
  return `gantry-${key.slice(0, 12)}`;
}

/**
 * Folders of profiles whose home no longer exists. They are not removed automatically, since a home on a disk that is not
 * mounted looks the same.
 */
export async function findOrphanedProfiles(): Promise<string[]> {
  const names = (await readdir(SYSTEM_FOLDER).catch(() => [])).sort();
  const left: string[] = [];
  for (const name of names.filter((one) => /^gantry-[0-9a-f]{12}$/.test(one))) {
    const folder = join(SYSTEM_FOLDER, name);
    const home = await readFile(join(folder, HOME_FILE), "utf8").catch(
      () => undefined,
    );
    if (home !== undefined && !existsSync(home)) left.push(folder);
  }
  return left;
}

interface Account {
  name: string;
  uid: number;
  gid: number;
}

async function findAccount(name: string): Promise<Account> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n");
  const fields = lines
    .map((line) => line.split(":"))
    .find(([field]) => field === name);
  if (!fields)
    throw errors.BROWSER_SANDBOX({
      reason: `this system has no account "${name}", which runs the browser of a daemon that runs as root. Create it, or run the daemon as an ordinary user.`,
    });
  return { name, uid: Number(fields[2]), gid: Number(fields[3]) };
}
