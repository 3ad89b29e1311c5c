import { constants } from "node:fs";
import { open, rm, statfs, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { extname, join } from "node:path";
import { pipeline } from "node:stream/promises";

const MAX_NAME_CHARS = 150;
/** Reserved device names on Windows, with which the folder may be shared. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Folder for finished downloads: the configured one, else the user's. */
export async function findDownloadFolder(
  configured: string | undefined,
): Promise<string> {
  if (configured !== undefined) return configured;
  const folder = join(homedir(), "Downloads");
  const isThere = await stat(folder).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  return isThere ? folder : homedir();
}

/** Turns a file name that a site suggested into one that is safe in any folder. */
export function cleanFileName(suggested: string): string {
  const name = suggested
    .normalize("NFC")
    .replace(/^.*[/\\]/s, "")
    // Invisible characters could disguise a program as a picture.
    .replace(/[\p{C}\p{Zl}\p{Zp}<>:"|?*]/gu, "")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  const extension = extname(name).slice(0, 20);
  const stem = name.slice(0, name.length - extname(name).length);
  const short = stem.slice(0, MAX_NAME_CHARS) + extension;
  if (short === "") return "download";
  return DEVICE_NAME.test(short) ? `_${short}` : short;
}

/** Free bytes on the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Moves a finished file into a folder, under its name or, if that is taken, with a number appended. Returns its path.
 *
 * @throws Error with `code` `ENOSPC`, `EACCES` and the like
 */
export async function moveDownload(
  file: string,
  folder: string,
  name: string,
): Promise<string> {
  // The browser's account can write here, so the file must not be a link to one of the daemon's files.
  const source = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const target = await createFile(folder, name);
    try {
      await pipeline(
        source.createReadStream({ autoClose: false }),
        target.handle.createWriteStream(),
      );
    } catch (error) {
      await rm(target.path, { force: true });
      throw error;
    }
    await rm(file, { force: true });
    return target.path;
  } finally {
    await source.close();
  }
}

const MAX_SAME_NAMES = 10_000;

async function createFile(folder: string, name: string) {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let number = 0; number < MAX_SAME_NAMES; number++) {
    const path = join(
      folder,
      number === 0 ? name : `${stem} (${number})${extension}`,
    );
    try {
      // Fails if the name is taken, even by a link.
      return { path, handle: await open(path, "wx", 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  throw new RangeError(`${folder} has too many files that are called ${name}.`);
}
