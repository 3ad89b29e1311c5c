import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import type { Decryption, Encryption } from "./age.ts";
import type { Compressor } from "./compressor.ts";
import { releaseMemory } from "./release-memory.ts";

const decompress = promisify(zstdDecompress);

/** What zlib is given beyond what it is expected to fill: it takes a full buffer for one that is too small. */
const SPARE_BYTES = 1024;

/**
 * Ends a piece that is not encrypted: a frame that `zstd` skips, with the SHA-256 of all before it. Some bits of a compressed
 * frame can change without any change of what is in it, and a piece is to be what was written to the last bit. In an encrypted one
 * age sees to that.
 */
const SEAL_HEAD = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const SEAL_BYTES = SEAL_HEAD.length + 32;

/** A piece as it is stored. */
export interface PackedPiece {
  parts: readonly Buffer[];
  /** Frees the memory of its parts. */
  release(): void;
}

/** @param frame As `compressor` wrote it. */
export async function sealPiece(
  frame: readonly Buffer[],
  compressor: Compressor,
  encryption: Encryption | undefined,
): Promise<PackedPiece> {
  if (!encryption)
    return {
      parts: [...frame, SEAL_HEAD, digest(...frame)],
      release: () => compressor.release(frame),
    };
  const parts: Buffer[] = [];
  for await (const part of encryption.encryptStream(frame)) parts.push(part);
  compressor.release(frame);
  return { parts, release: () => parts.forEach(releaseMemory) };
}

/** What is wrong with a stored piece. */
export class PieceError extends Error {
  readonly isTooLarge: boolean;

  constructor(message: string, isTooLarge = false, cause?: unknown) {
    super(message, { cause });
    this.isTooLarge = isTooLarge;
  }
}

/**
 * The content of a stored piece.
 *
 * @throws PieceError if it is not what was written, or has more bytes than it should
 */
export async function unpackPiece(
  stored: Buffer,
  expected: { sha256: string; size: number },
  decryption: Decryption | undefined,
): Promise<Buffer> {
  try {
    const frame = decryption
      ? await decryption.decrypt(stored)
      : checkSeal(stored);
    const content = await decompress(frame, {
      maxOutputLength: expected.size,
      chunkSize: expected.size + SPARE_BYTES,
    });
    if (content.length !== expected.size)
      throw new PieceError("It is shorter than it should be.");
    if (digest(content).toString("hex") !== expected.sha256)
      throw new PieceError("It is other content.");
    return content;
  } catch (error) {
    if (error instanceof PieceError) throw error;
    const { code } = error as { code?: string };
    if (code === "ERR_BUFFER_TOO_LARGE")
      throw new PieceError("It is longer than it should be.", true, error);
    throw new PieceError("It cannot be unpacked.", false, error);
  }
}

function checkSeal(stored: Buffer): Buffer {
  const end = stored.length - SEAL_BYTES;
  const frame = stored.subarray(0, Math.max(end, 0));
  const seal = Buffer.concat([SEAL_HEAD, digest(frame)]);
  if (end < 0 || !stored.subarray(end).equals(seal))
    throw new PieceError("It is not what was written.");
  return frame;
}

function digest(...parts: Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
