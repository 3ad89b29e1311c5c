import { join } from "node:path";
import { MAX_STORED_PIECE_BYTES, PIECE_BYTES } from "./limits.ts";
import type { ListedFile } from "./file-list.ts";
import { PIECES_FOLDER, piecePath } from "./names.ts";
import type { ReadContext } from "./packed-file-reader.ts";
import { PieceError, unpackPiece } from "./piece-format.ts";
import { readSmallFile, sizeOfFile } from "./plain-file.ts";
import { toFolderError } from "./refusals.ts";

/** Pieces that are read and unpacked ahead of the one that is looked at. */
const AHEAD = 1;
/** Pieces that are looked for at the same time. */
const LOOKED_FOR = 64;

/** A piece of a file. */
export interface PieceOfFile {
  sha256: string;
  size: number;
}

/** The pieces of a file with their sizes. */
export function piecesOf({ pieces, size }: ListedFile): PieceOfFile[] {
  return pieces.map((sha256, index) => ({
    sha256,
    size: Math.min(PIECE_BYTES, size - index * PIECE_BYTES),
  }));
}

/**
 * Reads pieces one after the other, some ahead, each compared with its digest.
 *
 * @throws BACKUP_SNAPSHOT_CORRUPT, BACKUP_SNAPSHOT_TOO_LARGE, BACKUP_FOLDER_UNAVAILABLE
 */
export async function* readPieces<Piece extends PieceOfFile>(
  pieces: AsyncIterable<Piece>,
  context: ReadContext,
): AsyncGenerator<{ piece: Piece; content: Buffer }> {
  const pending: Promise<{ piece: Piece; content: Buffer }>[] = [];
  try {
    for await (const piece of pieces) {
      context.signal?.throwIfAborted();
      const reading = readPiece(piece, context).then((content) => ({
        piece,
        content,
      }));
      // Awaited below; until then a failure of it is no fault of the process.
      reading.catch(() => {});
      pending.push(reading);
      if (pending.length > AHEAD)
        yield await (pending.shift() as (typeof pending)[0]);
    }
    while (pending.length > 0)
      yield await (pending.shift() as (typeof pending)[0]);
  } finally {
    await Promise.allSettled(pending);
  }
}

async function readPiece(
  { sha256, size }: PieceOfFile,
  context: ReadContext,
): Promise<Buffer> {
  const { decryption, refusals } = context;
  // An empty file has none.
  if (size === 0) return Buffer.alloc(0);
  const shown = `the piece ${sha256}`;
  const stored = await readSmallFile(
    pathOfPiece(sha256, context),
    MAX_STORED_PIECE_BYTES,
  ).catch((error: unknown) => {
    throw toFolderError(error, context.path);
  });
  if (stored === undefined) throw refusals.corrupt(`${shown} is missing`);
  if (stored === "too-large")
    throw refusals.tooLarge(`${shown} is larger than any piece`);
  try {
    return await unpackPiece(stored, { sha256, size }, decryption);
  } catch (error) {
    if (!(error instanceof PieceError)) throw error;
    throw error.isTooLarge
      ? refusals.tooLarge(`${shown} holds more than it should`, error)
      : refusals.corrupt(`${shown} is not what was written`, error);
  }
}

/**
 * Makes sure that all pieces are there, before any is read.
 *
 * @throws BACKUP_SNAPSHOT_CORRUPT that names one that is missing
 */
export async function findPieces(
  digests: Iterable<string>,
  context: ReadContext,
): Promise<void> {
  const all = [...digests];
  for (let at = 0; at < all.length; at += LOOKED_FOR) {
    context.signal?.throwIfAborted();
    await Promise.all(
      all.slice(at, at + LOOKED_FOR).map(async (sha256) => {
        const path = pathOfPiece(sha256, context);
        const size = await sizeOfFile(path).catch((error: unknown) => {
          throw toFolderError(error, context.path);
        });
        if (size === undefined)
          throw context.refusals.corrupt(`the piece ${sha256} is missing`);
      }),
    );
  }
}

/** Path of a piece of the snapshot that is read. */
export function pathOfPiece(
  sha256: string,
  { path, decryption }: ReadContext,
): string {
  const isEncrypted = decryption !== undefined;
  return join(path, "..", PIECES_FOLDER, piecePath(sha256, isEncrypted));
}
