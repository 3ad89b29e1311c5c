import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Entry } from "./entry.ts";
import { readPathBackwards } from "./read-path.ts";

/** A page of a transcript, newest first. */
export interface TranscriptPage {
  items: Entry[];
  /** The `end` for the next, older page; `null` at the beginning of the conversation. */
  next: number | null;
}

/** Maximum size of a page, so that long outputs of tools do not cause very large responses. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const TAIL_BLOCK_BYTES = 64 * 1024;

/** Opens a transcript for reading; `undefined` if there is none. */
export async function openForReading(
  path: string,
): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Reads entries before the offset `end`, newest first.
 *
 * @param read Reads the lines of one branch, or of all.
 */
export async function readPage(
  file: FileHandle,
  end: number,
  limit: number,
  read: typeof readPathBackwards = readPathBackwards,
): Promise<TranscriptPage> {
  const items: Entry[] = [];
  let start = end;
  let bytes = 0;
  for await (const line of read(file, end)) {
    if (line.type !== "entry") continue;
    bytes += line.bytes;
    const isFull = items.length === limit;
    if (isFull || (items.length > 0 && bytes > MAX_PAGE_BYTES))
      return { items, next: start };
    start = line.start;
    items.push(line.entry);
  }
  return { items, next: null };
}

/** Whether an offset is the beginning of a line, or the end of the last one. */
export async function isLineStart(
  file: FileHandle,
  position: number,
): Promise<boolean> {
  if (position === 0) return true;
  if (!Number.isSafeInteger(position) || position < 0) return false;
  const { bytesRead, buffer } = await file.read(
    Buffer.alloc(1),
    0,
    1,
    position - 1,
  );
  return bytesRead === 1 && buffer[0] === 0x0a;
}

/** The offset of the last line, complete or not. */
export async function lastLineStart(
  file: FileHandle,
  size: number,
): Promise<number> {
  const block = Buffer.alloc(TAIL_BLOCK_BYTES);
  for (let end = size; end > 0; end -= TAIL_BLOCK_BYTES) {
    const start = Math.max(0, end - TAIL_BLOCK_BYTES);
    const { bytesRead } = await file.read(block, 0, end - start, start);
    const at = block.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (at !== -1) return start + at + 1;
  }
  return 0;
}

/** Writes all bytes at an offset, repeating partial writes. */
export async function writeAll(
  file: FileHandle,
  bytes: Buffer,
  position: number,
): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const result = await file.write(
      bytes,
      written,
      bytes.length - written,
      position + written,
    );
    written += result.bytesWritten;
  }
}

/** Whether a write failed because the disk or the quota is full. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOSPC" || code === "EDQUOT";
}
