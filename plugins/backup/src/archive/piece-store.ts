import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { flush } from "@gantry/plugin/files";
import { createTurns } from "../jobs/turns.ts";
import { createDecryption, type Encryption } from "./age.ts";
import { Compressor, WHOLE_FRAMES } from "./compressor.ts";
import { PIECE_BYTES } from "./limits.ts";
import { PIECES_FOLDER, piecePath } from "./names.ts";
import { nextTurn } from "./next-turn.ts";
import { sealPiece } from "./piece-format.ts";
import { sizeOfFile, writeNewFile } from "./plain-file.ts";
import { codeOf } from "./refusals.ts";
import { WrittenPieces } from "./written-pieces.ts";

/** Sizes of pieces as they are stored, by digest. */
export type PieceSizes = ReadonlyMap<string, number>;

/** How a piece store is opened for one snapshot. */
export interface PieceStoreOptions {
  /** The `gantry-backup` folder. */
  backup: string;
  /** Folder of the snapshot, on the same disk, where pieces are written before they get their name. */
  temporary: string;
  encryption?: Encryption | undefined;
  /** Secret half of the key that they are encrypted to, if it is known. */
  identity?: string | undefined;
  /** Pieces of the last snapshot for the same key. Others are not reused: they may not be whole. */
  known: PieceSizes;
}

/** Pieces that are looked for at the same time. */
const LOOKED_FOR = 64;
/** Of frames in memory that are not on disk, besides the one that is being compressed. */
const MAX_WAITING_BYTES = PIECE_BYTES;

/** The content that snapshots share, as one snapshot writes it. */
export class PieceStore {
  readonly #options: PieceStoreOptions;
  readonly #folder: string;
  /** Those of the last snapshot that are there. */
  readonly #known = new Map<string, number>();
  readonly #sizes = new Map<string, number>();
  readonly #used = new Set<string>();
  readonly #writing = new Map<string, Promise<void>>();
  readonly #written = new WrittenPieces();
  readonly #touched = new Set<string>();
  readonly #compressor = new Compressor(WHOLE_FRAMES);
  readonly #packing = createTurns();
  readonly #placing = createTurns();
  /** Resolves when all that was packed is on disk, or has failed. */
  #placed: Promise<void> = Promise.resolve();
  /** Bytes that were packed and are not on disk yet. */
  #waitingBytes = 0;
  #storedBytes = 0;
  #addedBytes = 0;
  #temporaries = 0;

  private constructor(options: PieceStoreOptions) {
    this.#options = options;
    this.#folder = join(options.backup, PIECES_FOLDER);
  }

  static async open(options: PieceStoreOptions): Promise<PieceStore> {
    const store = new PieceStore(options);
    const { known } = options;
    for await (const [sha256, isThere] of store.#look(known))
      if (isThere) store.#known.set(sha256, known.get(sha256) as number);
    return store;
  }

  /**
   * Counts pieces as those of a file of the snapshot. What was kept of a file that changed while it was read is in no file, and
   * belongs to no snapshot.
   */
  use(pieces: readonly string[]): void {
    for (const sha256 of pieces) {
      if (this.#used.has(sha256)) continue;
      this.#used.add(sha256);
      this.#storedBytes += this.#sizes.get(sha256) ?? 0;
    }
  }

  /** Bytes on disk that pieces add to those of the snapshot, as far as they are on disk. */
  measure(pieces: readonly string[]): number {
    let bytes = 0;
    for (const sha256 of new Set(pieces))
      if (!this.#used.has(sha256)) bytes += this.#sizes.get(sha256) ?? 0;
    return bytes;
  }

  /** Pieces of the snapshot, once all that were kept are on disk. */
  get used(): PieceSizes {
    const sizes = new Map<string, number>();
    for (const sha256 of this.#used) {
      const size = this.#sizes.get(sha256);
      if (size === undefined) throw new Error(`${sha256} was not kept.`);
      sizes.set(sha256, size);
    }
    return sizes;
  }

  /** Bytes on disk of the pieces of the snapshot, as far as they are on disk. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** Bytes by which the store grew. */
  get addedBytes(): number {
    return this.#addedBytes;
  }

  /** Whether a piece is there, from this snapshot or an earlier one. */
  has(sha256: string): boolean {
    if (this.#sizes.has(sha256)) return true;
    const size = this.#known.get(sha256);
    if (size === undefined) return false;
    this.#note(sha256, size);
    return true;
  }

  /**
   * Keeps a piece, which is on disk when this resolves.
   *
   * @param onRead Called when the buffer may be used again, if that is earlier.
   */
  async keep(
    sha256: string,
    content: Buffer,
    onRead: () => void,
  ): Promise<void> {
    if (this.has(sha256)) return;
    const writing =
      this.#writing.get(sha256) ??
      this.#write(sha256, content, onRead).finally(() =>
        this.#writing.delete(sha256),
      );
    this.#writing.set(sha256, writing);
    await writing;
  }

  /** Makes the names of all that was kept durable, but for that of the folder itself. */
  async sync(): Promise<void> {
    if (this.#touched.size === 0) return;
    // Together, since file systems serve several of them by one write.
    await Promise.all([...this.#touched, this.#folder].map(flush));
  }

  /** Frees the memory that pieces were compressed in. Nothing may be kept afterwards. */
  close(): void {
    this.#compressor.close();
  }

  /** A piece that is no longer there: a collector that did not see this snapshot may have taken it for unused. */
  async findMissing(): Promise<string | undefined> {
    for await (const [sha256, isThere] of this.#look(this.used))
      if (!isThere) return sha256;
    return undefined;
  }

  /**
   * A piece that this snapshot wrote and that is not what was written. To read those of earlier snapshots as well would take as long
   * as their verification.
   */
  findDamaged(signal: AbortSignal): Promise<string | undefined> {
    const { encryption, identity } = this.#options;
    return this.#written.findDamaged(this.#used, {
      pathOf: (sha256) => this.#pathOf(sha256),
      canRead: encryption === undefined || identity !== undefined,
      decryption:
        encryption && identity !== undefined
          ? createDecryption(identity)
          : undefined,
      signal,
    });
  }

  async *#look(
    sizes: PieceSizes,
  ): AsyncGenerator<[sha256: string, isThere: boolean]> {
    const all = [...sizes];
    for (let at = 0; at < all.length; at += LOOKED_FOR)
      yield* await Promise.all(
        all
          .slice(at, at + LOOKED_FOR)
          .map(async ([sha256, size]): Promise<[string, boolean]> => [
            sha256,
            (await sizeOfFile(this.#pathOf(sha256))) === size,
          ]),
      );
  }

  async #write(
    sha256: string,
    content: Buffer,
    onRead: () => void,
  ): Promise<void> {
    const { length } = content;
    const { placed } = await this.#packing.take(async () => {
      const frame = await this.#compressor.write(content);
      onRead();
      const bytes = sizeOf(frame);
      // While the disk is slower than the compression, that waits, so that memory does not fill with frames.
      if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) await this.#placed;
      this.#waitingBytes += bytes;
      // One by one: the disk may complete a flush of the store, and so a durable write, only after all that is being flushed.
      const done = this.#placing.take(() => this.#place(sha256, length, frame));
      this.#placed = done
        .catch(() => {})
        .then(() => void (this.#waitingBytes -= bytes));
      // In an object, since the turn would wait for a promise.
      return { placed: done };
    });
    await placed;
  }

  async #place(
    sha256: string,
    length: number,
    frame: readonly Buffer[],
  ): Promise<void> {
    // The next piece is being compressed while this one is hashed.
    await nextTurn();
    const { encryption, temporary } = this.#options;
    const piece = await sealPiece(frame, this.#compressor, encryption);
    const { parts } = piece;
    const size = sizeOf(parts);
    const written = join(temporary, `piece-${++this.#temporaries}.tmp`);
    const inode = await writeNewFile(written, parts);
    const path = this.#pathOf(sha256);
    const before = (await sizeOfFile(path)) ?? 0;
    await rename(written, path).catch(async (error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error;
      await this.#makeFolders(dirname(path));
      await rename(written, path);
    });
    this.#written.add(sha256, length, parts, inode);
    this.#touched.add(dirname(path));
    this.#addedBytes += size - before;
    this.#note(sha256, size);
    piece.release();
  }

  /** One by one: the folder of the snapshots itself is never made, since its disk may have gone. */
  async #makeFolders(folder: string): Promise<void> {
    for (const path of [this.#folder, folder])
      await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      });
  }

  #note(sha256: string, size: number): void {
    if (this.#sizes.has(sha256)) return;
    this.#sizes.set(sha256, size);
    if (this.#used.has(sha256)) this.#storedBytes += size;
  }

  #pathOf(sha256: string): string {
    const isEncrypted = this.#options.encryption !== undefined;
    return join(this.#folder, piecePath(sha256, isEncrypted));
  }
}

function sizeOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
