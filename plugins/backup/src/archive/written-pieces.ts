import { crc32 } from "node:zlib";
import type { Decryption } from "./age.ts";
import { MAX_STORED_PIECE_BYTES } from "./limits.ts";
import { unpackPiece } from "./piece-format.ts";
import { openPlainFile, readSmallFile } from "./plain-file.ts";

/** Pieces that are read at the same time, and what of each. */
const READERS = 4;
const READ_BYTES = 256 * 1024;

/** A piece as it was written. */
interface WrittenPiece {
  /** Of its content. */
  size: number;
  bytes: number;
  /** A third of the time of a digest, and enough for what a disk may lose. */
  crc: number;
  inode: number;
}

/** Pieces that one snapshot wrote, which are read back before it counts. */
export class WrittenPieces {
  readonly #pieces = new Map<string, WrittenPiece>();

  /** @param size Of its content. */
  add(
    sha256: string,
    size: number,
    parts: readonly Buffer[],
    inode: number,
  ): void {
    let [bytes, crc] = [0, 0];
    for (const part of parts) {
      bytes += part.length;
      crc = crc32(part, crc);
    }
    this.#pieces.set(sha256, { size, bytes, crc, inode });
  }

  /**
   * Gives one of those that are used that is not what was written, if there is one. Another writer may have put its own in the place
   * of one; that has to have the same content, as far as it can be read.
   */
  async findDamaged(
    used: ReadonlySet<string>,
    {
      pathOf,
      canRead,
      decryption,
      signal,
    }: {
      pathOf(sha256: string): string;
      /** Whether content can be read: it is not encrypted, or its key is here. */
      canRead: boolean;
      decryption: Decryption | undefined;
      signal: AbortSignal;
    },
  ): Promise<string | undefined> {
    const pieces = [...this.#pieces].filter(([sha256]) => used.has(sha256));
    const buffers = Array.from({ length: READERS }, () =>
      Buffer.allocUnsafeSlow(READ_BYTES),
    );
    for (let at = 0; at < pieces.length; at += READERS) {
      signal.throwIfAborted();
      const some = pieces.slice(at, at + READERS);
      const areWhole = await Promise.all(
        some.map(async ([sha256, piece], index) => {
          const state = await compare(pathOf(sha256), piece, buffers[index]!);
          return state === "replaced" && canRead
            ? await holds(pathOf(sha256), { ...piece, sha256 }, decryption)
            : state !== "damaged";
        }),
      );
      const damaged = areWhole.indexOf(false);
      if (damaged >= 0) return some[damaged]![0];
    }
    return undefined;
  }
}

async function compare(
  path: string,
  written: WrittenPiece,
  buffer: Buffer,
): Promise<"whole" | "damaged" | "replaced"> {
  const file = await openPlainFile(path);
  if (!file) return "damaged";
  try {
    let crc = 0;
    for (let at = 0; at < written.bytes;) {
      const length = Math.min(buffer.length, written.bytes - at);
      const { bytesRead } = await file.read(buffer, 0, length, at);
      if (bytesRead === 0) break;
      crc = crc32(buffer.subarray(0, bytesRead), crc);
      at += bytesRead;
    }
    if (crc === written.crc) return "whole";
    const { ino } = await file.stat();
    return ino === written.inode ? "damaged" : "replaced";
  } finally {
    await file.close();
  }
}

/** Whether a piece has some content, however it is stored. */
async function holds(
  path: string,
  content: { sha256: string; size: number },
  decryption: Decryption | undefined,
): Promise<boolean> {
  const stored = await readSmallFile(path, MAX_STORED_PIECE_BYTES);
  if (!Buffer.isBuffer(stored)) return false;
  return await unpackPiece(stored, content, decryption).then(
    () => true,
    () => false,
  );
}
