import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ByteStream } from "@gantry/plugin";

/** Mode of finished files. */
const FILE_MODE = 0o600;

/** The files of finished downloads, each named by the id of its record. */
export interface DownloadFiles {
  /**
   * Moves a file that a browser has written here. Returns its size in bytes.
   *
   * @throws Error with `code` `ENOSPC`, `ENOENT` and the like
   */
  take(file: string, id: string): Promise<number>;
  /** @returns `undefined` if there is none */
  read(id: string): Promise<ByteStream | undefined>;
  remove(id: string): Promise<void>;
  /** Ids of all. */
  list(): Promise<string[]>;
}

/** Creates the access to the files in a folder, which is created with the first one. */
export function createDownloadFiles(folder: string): DownloadFiles {
  const pathOf = (id: string) => join(folder, id);
  return {
    async take(file, id) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await using source = await openFile(file);
      try {
        await rename(file, pathOf(id));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
        await copy(source, pathOf(id));
        await rm(file, { force: true });
      }
      await using moved = await openFile(pathOf(id));
      await moved.chmod(FILE_MODE);
      return (await moved.stat()).size;
    },
    async read(id) {
      try {
        const file = await openFile(pathOf(id));
        const { size } = await file.stat();
        // Closes the file at its end.
        return { length: size, stream: file.createReadStream() };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT")
          return undefined;
        throw error;
      }
    },
    remove: (id) => rm(pathOf(id), { force: true }),
    list: () => readdir(folder).catch(() => []),
  };
}

/** Opens a regular file. The account of a browser could put a link to a file of the daemon in its place. */
async function openFile(path: string): Promise<FileHandle> {
  const file = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw Object.assign(new Error("It is not a file."), { code: "ENOENT" });
}

/** Copies a file to another disk. */
async function copy(source: FileHandle, target: string): Promise<void> {
  await rm(target, { force: true });
  await using file = await open(target, "wx", FILE_MODE);
  try {
    await pipeline(
      source.createReadStream({ autoClose: false }),
      file.createWriteStream({ autoClose: false }),
    );
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}
