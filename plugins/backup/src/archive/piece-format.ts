import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, createZstdCompress, zstdDecompress } from "node:zlib";
import type { Decryption, Encryption } from "./age.ts";
import { releaseMemory } from "./release-memory.ts";
import { ZSTD_LEVEL } from "./packed-file-writer.ts";

const decompress = promisify(zstdDecompress);

const PACKED_CHUNK_BYTES = 256 * 1024;
/** What zlib is given beyond what it is expected to fill: it takes a full buffer for one that is too small. */
const SPARE_BYTES = 1024;

/**
 * Ends a piece that is not encrypted: a frame that `zstd` skips, with the SHA-256 of all before it. Some bits of a compressed
 * frame can change without any change of what is in it, and a piece is to be what was written to the last bit. In an encrypted one
 * age sees to that.
 */
const SEAL_HEAD = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const SEAL_BYTES = SEAL_HEAD.length + 32;

/** A piece as it is stored, in parts whose memory is not shared. */
export async function packPiece(
  content: Buffer,
  encryption: Encryption | undefined,
): Promise<Buffer[]> {
  const zstd = createZstdCompress({
    chunkSize: PACKED_CHUNK_BYTES,
    // For a small one it is content with little memory.
    pledgedSrcSize: content.length,
    params: {
      [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });
  zstd.end(content);
  const frame: Buffer[] = [];
  for await (const chunk of zstd as AsyncIterable<Buffer>) frame.push(chunk);
  if (!encryption) return [...frame, SEAL_HEAD, digest(...frame)];
  const sealed: Buffer[] = [];
  for await (const chunk of encryption.encryptStream(frame)) sealed.push(chunk);
  for (const chunk of frame) releaseMemory(chunk);
  return sealed;
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
