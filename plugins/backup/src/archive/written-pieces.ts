import { crc32 } from "node:zlib";
import { openPlainFile } from "./plain-file.ts";

/** Pieces that are read at the same time, and what of each. */
const READERS = 4;
const READ_BYTES = 256 * 1024;

/** A piece as it was written. */
interface WrittenPiece {
  bytes: number;
  /** A third of the time of a digest, and enough for what a disk may lose. */
  crc: number;
  inode: number;
}

/** Pieces that one snapshot wrote, which are read back before it counts. */
export class WrittenPieces {
  readonly #pieces = new Map<string, WrittenPiece>();

  add(sha256: string, parts: readonly Buffer[], inode: number): void {
    let [bytes, crc] = [0, 0];
    for (const part of parts) {
      bytes += part.length;
      crc = crc32(part, crc);
    }
    this.#pieces.set(sha256, { bytes, crc, inode });
  }

  /** Gives one of those that are used that is not what was written, if there is one. */
  async findDamaged(
    used: ReadonlySet<string>,
    pathOf: (sha256: string) => string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const pieces = [...this.#pieces].filter(([sha256]) => used.has(sha256));
    const buffers = Array.from({ length: READERS }, () =>
      Buffer.allocUnsafeSlow(READ_BYTES),
    );
    for (let at = 0; at < pieces.length; at += READERS) {
      signal.throwIfAborted();
      const some = pieces.slice(at, at + READERS);
      const areWhole = await Promise.all(
        some.map(([sha256, piece], index) =>
          isWhole(pathOf(sha256), piece, buffers[index]!),
        ),
      );
      const damaged = areWhole.indexOf(false);
      if (damaged >= 0) return some[damaged]![0];
    }
    return undefined;
  }
}

async function isWhole(
  path: string,
  written: WrittenPiece,
  buffer: Buffer,
): Promise<boolean> {
  const file = await openPlainFile(path);
  if (!file) return false;
  try {
    let crc = 0;
    for (let at = 0; at < written.bytes;) {
      const length = Math.min(buffer.length, written.bytes - at);
      const { bytesRead } = await file.read(buffer, 0, length, at);
      if (bytesRead === 0) break;
      crc = crc32(buffer.subarray(0, bytesRead), crc);
      at += bytesRead;
    }
    if (crc === written.crc) return true;
    // Another writer has put its own in this place, which it reads back itself; encrypted, that differs.
    return (await file.stat()).ino !== written.inode;
  } finally {
    await file.close();
  }
}
