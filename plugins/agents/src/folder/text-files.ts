import { randomBytes } from "node:crypto";
import { lstat, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { isGantryError } from "@gantry/plugin";
import { flush, placeFile } from "@gantry/plugin/files";
import { errors } from "../errors.ts";
import { Lanes } from "../live/lanes.ts";
import type {
  AgentFolder,
  OpenFile,
  OpenFolder,
  Place,
} from "./agent-folder.ts";
import { toWriteError } from "./file-errors.ts";
import { showPath } from "./folder-path.ts";

/** Largest text that is shown and written. */
export const MAX_TEXT_BYTES = 1024 * 1024;

/** Mode of a file that was not there before. */
const NEW_MODE = 0o644;
const ANY_WRITE = 0o222;

/** A text file as it was read. */
export interface TextFile {
  path: string;
  text: string;
  bytes: number;
  /** When it changed last, in ms and parts of them; to be sent back with what is to be written. */
  mtime: number;
}

/** What was written. */
export interface WrittenText {
  path: string;
  bytes: number;
  mtime: number;
  /** What the user may not expect of it. */
  notices: string[];
}

/** What is to be written. */
export interface NewText {
  path: string;
  text: string;
  /** As it was read; `null` for a file that is to be new. */
  mtime: number | null;
}

/** Reads the text of a file. @throws FILE_TOO_LARGE, FILE_NOT_TEXT, and what a path can be refused for */
export async function readText(
  folder: AgentFolder,
  path: string,
): Promise<TextFile> {
  const { data, mtime } = await readSmall(folder, path, MAX_TEXT_BYTES);
  const text = decodeText(data);
  if (text === undefined) throw errors.FILE_NOT_TEXT({ path: showPath(path) });
  return { path, text, bytes: data.length, mtime };
}

/** Text of bytes in UTF-8, byte order mark and all; `undefined` for what is something else. */
export function decodeText(data: Uint8Array): string | undefined {
  if (data.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      data,
    );
  } catch {
    return undefined;
  }
}

/** Reads a file whole that is not larger than that. @throws FILE_TOO_LARGE */
export async function readSmall(
  folder: AgentFolder,
  path: string,
  largest: number,
): Promise<{ data: Buffer; mtime: number }> {
  const { handle, stats } = await folder.openFile(path);
  try {
    // It may grow while it is read, so what it says of itself is not believed.
    const data = stats.size > largest ? undefined : await fill(handle, largest);
    if (!data)
      throw errors.FILE_TOO_LARGE({
        path: showPath(path),
        limit: `${largest / 1024 / 1024} MiB`,
      });
    return { data, mtime: stats.mtimeMs };
  } finally {
    await handle.close();
  }
}

async function fill(
  handle: OpenFile["handle"],
  largest: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for (let size = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(64 * 1024));
    if (bytesRead === 0) return Buffer.concat(chunks);
    size += bytesRead;
    if (size > largest) return undefined;
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

/** Writes texts, each whole or not at all. */
export class TextWriter {
  readonly #lanes = new Lanes();

  /**
   * Writes a text in place of the one that was read. What is at the path meanwhile stays as it is.
   *
   * @throws FILE_CHANGED if it is not what was read any more, FILE_READ_ONLY, FILE_TOO_LARGE, FILE_DISK_FULL, and what a
   *   path can be refused for
   */
  async write(folder: AgentFolder, input: NewText): Promise<WrittenText> {
    const data = Buffer.from(input.text);
    if (data.length > MAX_TEXT_BYTES)
      throw errors.FILE_TOO_LARGE({
        path: showPath(input.path),
        limit: `${MAX_TEXT_BYTES / 1024 / 1024} MiB`,
      });
    const { path } = await folder.find(input.path);
    return await this.#lanes.run(path, async () => {
      const parent = await folder.openParent(input.path);
      try {
        const written = await replace(parent, input, data);
        return { path: input.path, bytes: data.length, ...written };
      } catch (error) {
        throw isGantryError(error) ? error : toWriteError(error, input.path);
      } finally {
        await parent.folder.handle.close();
      }
    });
  }
}

async function replace(
  { folder, name, place }: { folder: OpenFolder; name: string; place: Place },
  { path, mtime }: NewText,
  data: Buffer,
): Promise<Pick<WrittenText, "mtime" | "notices">> {
  const values = { path: showPath(path) };
  if (place.stats && !place.stats.isFile())
    throw errors.FILE_NOT_REGULAR(values);
  // With write access to the folder the file could be replaced; its read-only mode is respected nevertheless.
  if (place.stats && (place.stats.mode & ANY_WRITE) === 0)
    throw errors.FILE_READ_ONLY(values);
  const target = join(folder.path, name);
  const draft = join(
    folder.path,
    `.gantry-${randomBytes(9).toString("base64url")}.tmp`,
  );
  await checkUnchanged(target, mtime, values);
  const handle = await open(draft, "wx", 0o600);
  try {
    try {
      await handle.writeFile(data);
      await setMode(handle, (place.stats?.mode ?? NEW_MODE) & 0o7777);
      await flush(handle);
    } finally {
      await handle.close();
    }
    // As late as possible: an agent may be changing the same file.
    await checkUnchanged(target, mtime, values);
    const isNew = mtime === null;
    const placed = await placeFile(draft, target, { isNew });
    return { mtime: placed, notices: await noticesOf(place, target) };
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * A file that had further names, hard links, is one of its own now: what a link leads to outside of the folder is not to be
 * written. Says so.
 */
async function noticesOf(before: Place, target: string): Promise<string[]> {
  const names = before.stats?.nlink ?? 1;
  if (names < 2 || (await lstat(target)).nlink === names) return [];
  return [
    `The file had ${names} names (hard links). It is a file of its own now; the other names keep the old text.`,
  ];
}

/** Some disks have no modes of their own and refuse to change them. */
async function setMode(
  handle: OpenFile["handle"],
  mode: number,
): Promise<void> {
  await handle.chmod(mode).catch((error: NodeJS.ErrnoException) => {
    if (
      !["ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM"].includes(error.code ?? "")
    )
      throw error;
  });
}

async function checkUnchanged(
  target: string,
  mtime: number | null,
  values: { path: string },
): Promise<void> {
  const now = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if ((now?.mtimeMs ?? null) !== mtime) throw errors.FILE_CHANGED(values);
}
