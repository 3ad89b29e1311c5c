import { createHash, type Hash } from "node:crypto";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { stampOf } from "./find-files.ts";
import { PIECE_BYTES } from "./limits.ts";
import type { PieceQueue } from "./piece-queue.ts";

const READ_BYTES = 1024 * 1024;
/** How often a file is read that is rewritten meanwhile, before it is taken as it is. */
const MAX_ATTEMPTS = 3;

/** What a file holds. */
export interface CopiedContent {
  size: number;
  sha256: string;
  /** Digests of its pieces, in order. */
  pieces: string[];
}

/** What a file is copied with. */
export interface CopyContext {
  queue: PieceQueue;
  signal: AbortSignal;
  onBytes(count: number): void;
}

/**
 * Copies the content of a file as it is at the beginning: of one that grows meanwhile, what it had.
 *
 * @returns `stamp` as it is in the end; `undefined` if the file changed meanwhile
 */
export async function copyFile(
  path: string,
  context: CopyContext,
): Promise<CopiedContent & { stamp: string | undefined; mode: number }> {
  const flags =
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags);
  try {
    for (let attempt = 1; ; attempt++) {
      const before = await file.stat({ bigint: true });
      if (!before.isFile()) throw new NotAFile();
      const content = await copyContent(file, Number(before.size), context);
      const after = await file.stat({ bigint: true });
      const isSame = stampOf(before) === stampOf(after);
      const hasGrown = after.size > before.size;
      if (isSame || hasGrown || attempt === MAX_ATTEMPTS)
        return {
          ...content,
          stamp: isSame ? stampOf(after) : undefined,
          mode: Number(before.mode) & 0o777,
        };
    }
  } finally {
    await file.close();
  }
}

/** Something else took the place of a file. */
class NotAFile extends Error {
  readonly code = "EFTYPE";
}

async function copyContent(
  file: FileHandle,
  size: number,
  context: CopyContext,
): Promise<CopiedContent> {
  const whole = createHash("sha256");
  const pieces: string[] = [];
  let done = 0;
  while (done < size) {
    const length = Math.min(PIECE_BYTES, size - done);
    const piece = await copyPiece(file, { at: done, length, whole }, context);
    if (piece.length === 0) break;
    pieces.push(piece.sha256);
    done += piece.length;
    // It was cut off meanwhile.
    if (piece.length < length) break;
  }
  return { size: done, sha256: whole.digest("hex"), pieces };
}

/** Reads a piece in parts, so that hashing never takes long at a time. */
async function copyPiece(
  file: FileHandle,
  { at, length, whole }: { at: number; length: number; whole: Hash },
  { queue, signal, onBytes }: CopyContext,
): Promise<{ sha256: string; length: number }> {
  const buffer = await queue.acquire();
  // A file begins with its first piece, which is hashed with the file.
  const hash = at === 0 ? undefined : createHash("sha256");
  let done = 0;
  try {
    while (done < length) {
      signal.throwIfAborted();
      const count = Math.min(READ_BYTES, length - done);
      const { bytesRead } = await file.read(buffer, done, count, at + done);
      if (bytesRead === 0) break;
      const part = buffer.subarray(done, done + bytesRead);
      hash?.update(part);
      whole.update(part);
      done += bytesRead;
      onBytes(bytesRead);
    }
  } catch (error) {
    queue.release(buffer);
    throw error;
  }
  const sha256 = (hash ?? whole.copy()).digest("hex");
  if (done === 0) queue.release(buffer);
  else queue.keep(sha256, buffer, done);
  return { sha256, length: done };
}
