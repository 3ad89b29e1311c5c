import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";

/** Unprivileged account that runs the browser of a daemon that runs as root, since Chromium's sandbox refuses root. */
const UNPRIVILEGED_USER = "nobody";

/** Where profiles are stored when the daemon runs as root. */
const SYSTEM_FOLDER = "/var/lib";
/** File that names the home to which the profiles beside it belong. */
const HOME_FILE = "home";

/** Files that a killed Chromium leaves in its profile; it would refuse to start with that profile again. */
const LOCK_FILES = ["SingletonLock", "SingletonSocket", "SingletonCookie"];

/** Folders of one profile, all writable for the browser. */
export interface ProfileFolders {
  /** Chromium's `--user-data-dir`. */
  profile: string;
  /** Downloads in progress. */
  downloads: string;
  /** Files that the user chose for a page. */
  uploads: string;
}

/** The profiles of this home, each in a folder that only the browser's account may enter. */
export interface Profiles {
  /** Account that runs the browser; `undefined` for the daemon's own. */
  readonly user: string | undefined;
  /** Creates the folders of a profile if they are missing, and removes the lock files of a browser that has ended. */
  prepare(profileId: string): Promise<ProfileFolders>;
  /** Copies a file to where the browser may read it. Returns the path there. */
  copyToBrowser(profileId: string, file: string, name: string): Promise<string>;
  /** Removes a profile with its cookies, files and cache. */
  remove(profileId: string): Promise<void>;
}

/**
 * Opens the profiles of a home. When the daemon runs as root they are in a folder under `/var/lib` instead of the home,
 * which the browser's account must not enter.
 *
 * @throws Error if the daemon runs as root and this system has no account `nobody`
 */
export async function openProfiles(options: {
  machineFolder: string;
  home: string;
  isRoot: boolean;
}): Promise<Profiles> {
  if (!options.isRoot)
    return new FolderProfiles(join(options.machineFolder, "profiles"));
  const account = await findAccount(UNPRIVILEGED_USER);
  const root = join(SYSTEM_FOLDER, toFolderName(options.home));
  await mkdir(root, { recursive: true, mode: 0o711 });
  // Other accounts may pass through to their profiles, but cannot list the folder.
  await chmod(root, 0o711);
  await writeFile(join(root, HOME_FILE), options.home, { mode: 0o600 });
  return new FolderProfiles(root, account);
}

function toFolderName(home: string): string {
  const key = createHash("sha256").update(home).digest("hex");
  return `gantry-${key.slice(0, 12)}`;
}

/**
 * Profile folders whose home no longer exists. They are not removed automatically, since a home on an unmounted disk
 * looks the same.
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
    throw new Error(
      `A daemon that runs as root needs the account ${name} for its browser.`,
    );
  return { name, uid: Number(fields[2]), gid: Number(fields[3]) };
}

class FolderProfiles implements Profiles {
  readonly user: string | undefined;
  readonly #root: string;
  readonly #account: Account | undefined;

  constructor(root: string, account?: Account) {
    this.#root = root;
    this.#account = account;
    this.user = account?.name;
  }

  async prepare(profileId: string): Promise<ProfileFolders> {
    const folder = this.#folderOf(profileId);
    const folders = {
      profile: join(folder, "profile"),
      downloads: join(folder, "downloads"),
      uploads: join(folder, "uploads"),
    };
    for (const path of [folder, ...Object.values(folders)]) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      await this.#give(path);
    }
    for (const name of LOCK_FILES)
      await rm(join(folders.profile, name), { force: true });
    // Downloads that were in progress when the last browser ended are incomplete, and no record refers to them any
    // more.
    for (const path of [folders.downloads, folders.uploads])
      await emptyFolder(path, (made) => this.#give(made));
    return folders;
  }

  async copyToBrowser(
    profileId: string,
    file: string,
    name: string,
  ): Promise<string> {
    // A separate folder, since two files of one choice may have the same name.
    const folder = join(this.#folderOf(profileId), "uploads", randomUUID());
    await mkdir(folder, { mode: 0o700 });
    const target = join(folder, name);
    await copyFile(file, target);
    await chmod(target, 0o600);
    await this.#give(target);
    await this.#give(folder);
    return target;
  }

  async remove(profileId: string): Promise<void> {
    const folder = this.#folderOf(profileId);
    const doomed = `${folder}.removed-${randomUUID()}`;
    try {
      // Renamed first, so that an interrupted removal leaves nothing that looks like a profile.
      await rename(folder, doomed);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      throw error;
    }
    await rm(doomed, { recursive: true, force: true, maxRetries: 3 });
  }

  #folderOf(profileId: string): string {
    if (!/^[A-Za-z0-9_-]{1,100}$/.test(profileId))
      throw new RangeError(`${profileId} is not an id of a profile.`);
    return join(this.#root, profileId);
  }

  async #give(path: string): Promise<void> {
    if (this.#account) await chown(path, this.#account.uid, this.#account.gid);
  }
}

async function emptyFolder(
  path: string,
  give: (path: string) => Promise<void>,
): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { mode: 0o700 });
  await give(path);
}
