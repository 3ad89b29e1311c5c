import {
  access,
  constants,
  lstat,
  mkdir,
  mkdtemp,
  realpath,
  rmdir,
  stat,
} from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { isGantryError } from "@gantry/plugin";
import { BACKUP_FOLDER } from "../archive/names.ts";
import { codeOf } from "../archive/refusals.ts";
import { errors } from "../errors.ts";

const MAX_PATH_LENGTH = 4096;

/** Folders of the system, in which nothing of a user belongs. */
const SYSTEM_FOLDERS: readonly string[] = [
  ...["/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32"],
  ...["/proc", "/run", "/sbin", "/snap", "/sys", "/usr"],
  // macOS
  ...["/System", "/Library", "/Applications", "/private/etc"],
  // Windows
  ...["C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)"],
];
/** What belongs to users within the above: disks that desktops connect, and what lies in memory. */
const USER_FOLDERS: readonly string[] = ["/run/media", "/run/user", "/dev/shm"];

/** The folders that snapshots are made of. */
export interface CopiedFolders {
  home: string;
  data: string;
}

/**
 * Checks that a folder can hold snapshots: absolute, no link, outside of the home and of the system, and writable. It and
 * the folder for the snapshots in it are made if its parent is there. Gives its real path.
 *
 * @throws BACKUP_FOLDER_INVALID that says why; nothing is left of what was made
 */
export async function prepareFolder(
  folder: string,
  copied: CopiedFolders,
): Promise<string> {
  const refuse = (reason: string, cause?: unknown) =>
    errors.BACKUP_FOLDER_INVALID({ folder, reason }, { cause });
  if (!isAbsolute(folder) || folder.includes("\0"))
    throw refuse("it is not an absolute path");
  if (folder.length > MAX_PATH_LENGTH) throw refuse("the path is too long");
  const path = await toRealPath(resolve(folder), refuse);
  const reason = await whyForbidden(path, copied);
  if (reason) throw refuse(reason);
  await makeWritable(path, refuse);
  return path;
}

type Refuse = (reason: string, cause?: unknown) => Error;

/** The path with all links of its parents followed. The folder itself may be missing, and must be no link. */
async function toRealPath(path: string, refuse: Refuse): Promise<string> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw refuse("it cannot be opened", error);
  });
  if (stats?.isSymbolicLink())
    throw refuse("it is a symbolic link; choose the folder that it leads to");
  if (stats && !stats.isDirectory()) throw refuse("it is not a folder");
  if (stats) return await realpath(path);
  const parent = await realpath(dirname(path)).catch((error: unknown) => {
    throw refuse("the folder that it would be made in is not there", error);
  });
  if (!(await lstat(parent)).isDirectory())
    throw refuse("what it would be made in is not a folder");
  return join(parent, basename(path));
}

/** Why a real path is not for snapshots, if so. */
async function whyForbidden(
  path: string,
  { home, data }: CopiedFolders,
): Promise<string | undefined> {
  if (dirname(path) === path) return "it is the root of the disk";
  const isUsers = USER_FOLDERS.some((folder) => isBelow(path, folder));
  if (!isUsers && SYSTEM_FOLDERS.some((folder) => isIn(path, folder)))
    return "it belongs to the system";
  const snapshots = join(path, BACKUP_FOLDER);
  for (const own of [home, data]) {
    const folder = await realpath(own).catch(() => resolve(own));
    if (isIn(path, folder) || (await isSameIn(path, folder)))
      return "it is in the home of the daemon, which would then be lost together with its snapshots";
    if (isIn(folder, snapshots) || (await isSameIn(folder, snapshots)))
      return "the home of the daemon is in the folder of its snapshots";
  }
  return undefined;
}

/** Whether a folder above a path, or the path itself, is the same one under another name, as a bind mount makes it. */
async function isSameIn(path: string, folder: string): Promise<boolean> {
  const own = await identify(folder);
  if (own === undefined) return false;
  for (let at = path; ; at = dirname(at)) {
    if ((await identify(at)) === own) return true;
    if (dirname(at) === at) return false;
  }
}

async function identify(folder: string): Promise<string | undefined> {
  const stats = await stat(folder, { bigint: true }).catch(() => undefined);
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Makes both folders, and tries to write. Removes what it made if that fails. */
async function makeWritable(path: string, refuse: Refuse): Promise<void> {
  const made: string[] = [];
  try {
    for (const folder of [path, join(path, BACKUP_FOLDER)]) {
      const stats = await lstat(folder).catch(() => undefined);
      if (stats?.isSymbolicLink())
        throw refuse(`${basename(folder)} in it is a symbolic link`);
      if (stats) continue;
      await mkdir(folder, { mode: 0o700 });
      made.push(folder);
    }
    await tryToWrite(join(path, BACKUP_FOLDER));
  } catch (error) {
    for (const folder of made.reverse()) await rmdir(folder).catch(() => {});
    if (isGantryError(error)) throw error;
    const isFull = ["ENOSPC", "EDQUOT"].includes(codeOf(error) ?? "");
    throw refuse(isFull ? "its disk is full" : "it cannot be written", error);
  }
}

async function tryToWrite(folder: string): Promise<void> {
  const probe = await mkdtemp(join(folder, ".write-test-"));
  await rmdir(probe);
}

/**
 * The folder for snapshots in a folder that was prepared before. It is not created if missing: a disk that is not connected leaves
 * an empty folder at its mount point, and a snapshot there would be on the wrong disk.
 *
 * @throws BACKUP_FOLDER_UNAVAILABLE
 */
export async function findSnapshotsFolder(folder: string): Promise<string> {
  const path = join(folder, BACKUP_FOLDER);
  const refuse = (reason: string, cause?: unknown) =>
    errors.BACKUP_FOLDER_UNAVAILABLE({ folder, reason }, { cause });
  const stats = await lstat(path).catch((error: unknown) => {
    throw refuse(
      isMissing(error)
        ? `there is no ${BACKUP_FOLDER} in it`
        : "it cannot be opened",
      error,
    );
  });
  if (!stats.isDirectory()) throw refuse(`${BACKUP_FOLDER} is not a folder`);
  await access(path, constants.R_OK | constants.X_OK).catch(
    (error: unknown) => {
      throw refuse("it cannot be read", error);
    },
  );
  return path;
}

function isIn(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}
