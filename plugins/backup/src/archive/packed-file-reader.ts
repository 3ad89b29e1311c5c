import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createZstdDecompress } from "node:zlib";
import { isGantryError } from "@gantry/plugin";
import type { Decryption } from "./age.ts";
import { isBomb, MAX_ARCHIVE_BYTES } from "./limits.ts";
import { openPlainFile, readFully } from "./plain-file.ts";
import { codeOf, type Refusals, toFolderError } from "./refusals.ts";
import type { PackedFile } from "./packed-file-writer.ts";
import { releaseMemory } from "./release-memory.ts";

const READ_BYTES = 1024 * 1024;
const UNPACKED_CHUNK_BYTES = 256 * 1024;
/** Memory that unpacking takes: 8 MiB. What is written here needs 2. */
const MAX_WINDOW_LOG = 23;

/** The snapshot that a file is read of. */
export interface ReadContext {
  /** Folder of the snapshot. */
  path: string;
  refusals: Refusals;
  /** For an encrypted one. */
  decryption?: Decryption | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Reads a packed file, whose bytes on disk are compared with its digest before any of them is looked at.
 *
 * @throws BACKUP_SNAPSHOT_CORRUPT, BACKUP_SNAPSHOT_TOO_LARGE for more than it should hold, BACKUP_FOLDER_UNAVAILABLE
 */
export async function* readPackedFile(
  expected: PackedFile,
  context: ReadContext,
): AsyncGenerator<Buffer> {
  const { refusals, decryption, signal } = context;
  const { name, unpackedBytes } = expected;
  if (unpackedBytes > MAX_ARCHIVE_BYTES || isBomb(expected))
    throw refusals.tooLarge(`${name} unpacks to ${unpackedBytes} bytes`);
  const file = await openWhole(expected, context);
  try {
    const zstd = createZstdDecompress({
      chunkSize: UNPACKED_CHUNK_BYTES,
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    });
    const decrypt = async function* (source: AsyncIterable<Buffer>) {
      yield* decryption?.decryptStream(source) ?? source;
    };
    const done = pipeline(
      file.createReadStream({
        start: 0,
        autoClose: false,
        highWaterMark: UNPACKED_CHUNK_BYTES,
      }),
      decrypt,
      zstd,
      { signal },
    );
    done.catch(() => {});
    let length = 0;
    for await (const chunk of zstd as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > unpackedBytes)
        throw refusals.tooLarge(
          `${name} holds more than the ${unpackedBytes} bytes that the manifest says`,
        );
      yield chunk;
    }
    await done;
    if (length < unpackedBytes)
      throw refusals.corrupt(
        `${name} holds ${length} bytes, the manifest says ${unpackedBytes}`,
      );
  } catch (error) {
    signal?.throwIfAborted();
    if (isGantryError(error)) throw error;
    throw refusals.corrupt(`${name} cannot be unpacked`, error);
  } finally {
    await file.close();
  }
}

/** A file of a snapshot whose bytes are those that were written. */
export async function openWhole(
  { name, bytes, sha256 }: Omit<PackedFile, "unpackedBytes">,
  { path, refusals, signal }: ReadContext,
): Promise<FileHandle> {
  const file = await openPlainFile(join(path, name)).catch((error: unknown) => {
    throw toFolderError(error, path);
  });
  if (!file) throw refusals.corrupt(`${name} is missing`);
  try {
    const { size } = await file.stat();
    if (size !== bytes)
      throw refusals.corrupt(
        `${name} has ${size} bytes, the manifest says ${bytes}`,
      );
    if ((await hashFile(file, size, signal)) !== sha256)
      throw refusals.corrupt(`${name} is not what was written`);
    return file;
  } catch (error) {
    await file.close();
    signal?.throwIfAborted();
    throw codeOf(error) === undefined ? error : toFolderError(error, path);
  }
}

/** Digest of the first bytes of a file. */
export async function hashFile(
  file: FileHandle,
  size: number,
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, Math.max(size, 1)));
  for (let at = 0; at < size;) {
    signal?.throwIfAborted();
    const count = await readFully(file, buffer, at);
    if (count === 0) break;
    hash.update(buffer.subarray(0, count));
    at += count;
  }
  releaseMemory(buffer);
  return hash.digest("hex");
}
