import { constants, type Stats } from "node:fs";
import {
  copyFile,
  link,
  lstat,
  open,
  readdir,
  rename,
  rm,
  stat,
  type FileHandle,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  asideKeyOf,
  isRunning,
  parseAsideName,
  toAsidePath,
} from "./draft-names.ts";

/** What a disk answers that cannot do something at all, or not with this file. */
const UNABLE = ["ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EINVAL"];
const UNFLUSHABLE = new Set(UNABLE);
/** Links: none on this disk, to no other disk, no more to this file. Some network disks say EACCES. */
const UNLINKABLE = new Set([...UNABLE, "EACCES", "EMLINK", "EPERM", "EXDEV"]);
/** Renames: another disk, or a file that is held where it is, as one that is mounted. */
const UNMOVABLE = new Set([
  ...[...UNABLE, "EACCES", "EBUSY", "EPERM", "ETXTBSY", "EXDEV"],
]);

const CHUNK_BYTES = 256 * 1024;

const hasCode = (error: unknown, codes: ReadonlySet<string>): boolean =>
  codes.has((error as NodeJS.ErrnoException).code ?? "");

/** An error of {@link placeFile} after which the file is neither what it was nor what it should be. */
export interface PlaceFault extends NodeJS.ErrnoException {
  /** Where the old content is. `undefined` if the file is as it was. */
  aside?: string;
}

/** Brings an open file, or what is at a path, to the disk. Does nothing on a disk that cannot do that. */
export async function flush(
  target: FileHandle | string | Buffer,
): Promise<void> {
  if (typeof target !== "string" && !Buffer.isBuffer(target))
    return await target.sync().catch((error: unknown) => {
      if (!hasCode(error, UNFLUSHABLE)) throw error;
    });
  const handle = await open(target, "r");
  try {
    await flush(handle);
  } finally {
    await handle.close();
  }
}

/** Whether an error of `link` means that the file can only be copied. */
export function cannotLink(error: unknown): boolean {
  return hasCode(error, UNLINKABLE);
}

/** Gives a file a second name, or makes a flushed copy where that is not possible. @throws EEXIST if the name is taken */
export async function linkOrCopy(
  from: string | Buffer,
  to: string | Buffer,
): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!cannotLink(error)) throw error;
    await copyNew(from, to);
  }
}

/** How {@link placeFile} works. */
export interface PlaceOptions {
  /** Nothing may be there: EEXIST if there is. */
  isNew?: boolean;
  /** Bring the name to the disk. */
  isFlushed?: boolean;
}

/**
 * Puts a finished draft in the place of a file in the same folder, at once where the disk can do that. Where it cannot,
 * the file is overwritten; meanwhile its old content lies beside it as `.gantry-….before`, where it stays after a crash until the file
 * is whole again: the next time that it is overwritten, or by `removeLeftDrafts`.
 * The draft is gone afterwards.
 *
 * @returns when the file was changed last, in ms
 * @throws PlaceFault
 */
export async function placeFile(
  draft: string,
  file: string,
  { isNew = false, isFlushed = true }: PlaceOptions = {},
): Promise<number> {
  const { mtimeMs, mode } = await stat(draft);
  const placed = isNew
    ? await placeNew(draft, file, mode)
    : await placeOver(draft, file, mode);
  await rm(draft, { force: true });
  if (isFlushed) await flush(dirname(file));
  return placed ?? mtimeMs;
}

/** @returns when the file was changed, `undefined` if it is the draft itself */
async function placeNew(
  draft: string,
  file: string,
  mode: number,
): Promise<number | undefined> {
  try {
    await link(draft, file);
    return undefined;
  } catch (error) {
    if (!cannotLink(error)) throw error;
  }
  const handle = await open(file, "wx", mode & 0o777);
  try {
    return await pour(draft, handle);
  } catch (error) {
    await rm(file, { force: true }).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

async function placeOver(
  draft: string,
  file: string,
  mode: number,
): Promise<number | undefined> {
  try {
    await rename(draft, file);
    return undefined;
  } catch (error) {
    if (!hasCode(error, UNMOVABLE)) throw error;
    const there = await statOf(file);
    if (!there) return await placeNew(draft, file, mode);
    if (!there.isFile()) throw error;
  }
  return await overwrite(draft, file);
}

async function overwrite(draft: string, file: string): Promise<number> {
  const aside = toAsidePath(file);
  const handle = await open(file, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    await copyNew(file, aside);
    await flush(dirname(file));
    const changed = await pour(draft, handle).catch(async (error: unknown) => {
      await pour(aside, handle).catch(() => {
        throw Object.assign(error as PlaceFault, { aside });
      });
      await rm(aside, { force: true });
      throw error;
    });
    await rm(aside, { force: true });
    // What an earlier process left is no longer needed, now that the file is whole.
    await removeOldAsides(file).catch(() => {});
    return changed;
  } finally {
    await handle.close();
  }
}

/** Removes old contents of a file that processes left which have ended. */
async function removeOldAsides(file: string): Promise<void> {
  for (const name of await readdir(dirname(file))) {
    const aside = parseAsideName(name);
    if (aside?.of === asideKeyOf(basename(file)) && !isRunning(aside.pid))
      await rm(join(dirname(file), name), { force: true });
  }
}

/** Makes what is in a file the whole content of an open one. */
async function pour(from: string, to: FileHandle): Promise<number> {
  const source = await open(from, "r");
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let at = 0;
    for (;;) {
      const { bytesRead } = await source.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) break;
      for (let done = 0; done < bytesRead;) {
        const left = bytesRead - done;
        done += (await to.write(buffer, done, left, at + done)).bytesWritten;
      }
      at += bytesRead;
    }
    await to.truncate(at);
    await flush(to);
    return (await to.stat()).mtimeMs;
  } finally {
    await source.close();
  }
}

async function copyNew(
  from: string | Buffer,
  to: string | Buffer,
): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await flush(to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST")
      await rm(to, { force: true }).catch(() => {});
    throw error;
  }
}

async function statOf(file: string): Promise<Stats | undefined> {
  return await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
