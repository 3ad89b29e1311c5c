import { constants } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { flush } from "@gantry/plugin/files";
import { codeOf } from "./refusals.ts";

/**
 * Opens a file for reading. Links are not followed, and what is not a file, such as a FIFO without a writer, does not block.
 *
 * @returns `undefined` for what is not there, is a link or is no file
 */
export async function openPlainFile(
  path: string,
): Promise<FileHandle | undefined> {
  const flags =
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  let file: FileHandle;
  try {
    file = await open(path, flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENXIO is a socket's.
    if (code === "ENOENT" || code === "ELOOP" || code === "ENXIO")
      return undefined;
    throw error;
  }
  const stats = await file.stat().catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  if (stats.isFile()) return file;
  await file.close();
  return undefined;
}

/** Size of a file; `undefined` for what is not there, is a link or is no file. */
export async function sizeOfFile(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  return stats?.isFile() ? stats.size : undefined;
}

/** Reads a small file whole; `undefined` if it is not there, "too-large" if it has more bytes than that. */
export async function readSmallFile(
  path: string,
  maxBytes: number,
): Promise<Buffer | "too-large" | undefined> {
  const file = await openPlainFile(path);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    if (size > maxBytes) return "too-large";
    const content = Buffer.allocUnsafe(size + 1);
    const length = await readFully(file, content, 0);
    return content.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Reads from a place of a file until a buffer is full or the file ends, and gives how much that was. */
export async function readFully(
  file: FileHandle,
  buffer: Uint8Array,
  position: number,
): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(
      buffer,
      length,
      buffer.length - length,
      position + length,
    );
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

/**
 * Writes a file that must not be there, readable by its user alone, and flushes it.
 *
 * @returns its inode
 */
export async function writeNewFile(
  path: string,
  content: string | Uint8Array | readonly Uint8Array[],
): Promise<number> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await flush(file);
    return (await file.stat()).ino;
  } finally {
    await file.close();
  }
}
