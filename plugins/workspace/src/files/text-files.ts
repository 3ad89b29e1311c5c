import { randomBytes } from "node:crypto";
import { link, lstat, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type AgentFolder,
  type OpenFile,
  type OpenFolder,
  type Place,
  showPath,
  toWriteError,
} from "@gantry/agent-folder";
import { createKeyedLock, isGantryError } from "@gantry/plugin";
import { errors } from "../errors.ts";

/** Largest text that is read and written. */
export const MAX_TEXT_BYTES = 1024 * 1024;

/** Mode of a file that was not there before. */
const NEW_MODE = 0o644;
const ANY_WRITE = 0o222;

/** A text file as it was read. */
export interface TextFile {
  path: string;
  text: string;
  bytes: number;
  /** When it changed last, in ms with fractions. Send it back to write the file. */
  mtime: number;
}

/** What is written. */
export interface NewText {
  path: string;
  text: string;
  /** As it was read; `null` to create a file. */
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

/** Decodes UTF-8 and keeps a byte order mark; `undefined` for anything else. */
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

/** Reads a whole file. @throws FILE_TOO_LARGE */
export async function readSmall(
  folder: AgentFolder,
  path: string,
  largest: number,
): Promise<{ data: Buffer; mtime: number }> {
  const { handle, stats } = await folder.openFile(path);
  try {
    // It may grow while it is read, so its size alone is not enough.
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
  readonly #locks = createKeyedLock();

  /**
   * Replaces the text that was read, unless the file was changed since.
   *
   * @throws FILE_CHANGED if it is not what was read any more, FILE_READ_ONLY, FILE_TOO_LARGE, FILE_DISK_FULL, and what a
   *   path can be refused for
   */
  async write(
    folder: AgentFolder,
    input: NewText,
  ): Promise<{ path: string; bytes: number; mtime: number }> {
    const data = Buffer.from(input.text);
    if (data.length > MAX_TEXT_BYTES)
      throw errors.FILE_TOO_LARGE({
        path: showPath(input.path),
        limit: `${MAX_TEXT_BYTES / 1024 / 1024} MiB`,
      });
    const { path } = await folder.find(input.path);
    return await this.#locks.run(path, async () => {
      const parent = await folder.openParent(input.path);
      try {
        const mtime = await replace(parent, input, data);
        return { path: input.path, bytes: data.length, mtime };
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
): Promise<number> {
  const values = { path: showPath(path) };
  if (place.stats && !place.stats.isFile())
    throw errors.FILE_NOT_REGULAR(values);
  // Replacing the file needs only the right to write to the folder, so check the mode of the file.
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
    await handle.writeFile(data);
    await handle.chmod((place.stats?.mode ?? NEW_MODE) & 0o7777);
    await handle.sync();
    // As late as possible: an agent may be writing the same file.
    await checkUnchanged(target, mtime, values);
    if (mtime === null) await link(draft, target);
    else await rename(draft, target);
    await folder.handle.sync();
    return (await handle.stat()).mtimeMs;
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
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
