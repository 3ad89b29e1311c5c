import { PIECE_BYTES } from "./limits.ts";
import type { PieceStore } from "./piece-store.ts";
import { releaseMemory } from "./release-memory.ts";

/** Contents of pieces in memory: one is read while another is compressed. */
const SLOTS = 2;

/** Hands pieces to the store while the next ones are read, a few at a time, in buffers that are used again. */
export class PieceQueue {
  readonly #store: PieceStore;
  readonly #toError: (error: unknown) => unknown;
  readonly #free: Buffer[] = [];
  readonly #waiting: ((buffer: Buffer) => void)[] = [];
  readonly #pending = new Set<Promise<void>>();
  #made = 0;
  #failure: { error: unknown } | undefined;

  /** @param toError Turns faults of the store's folder into errors of the table. */
  constructor(store: PieceStore, toError: (error: unknown) => unknown) {
    this.#store = store;
    this.#toError = toError;
  }

  /** A buffer for the next piece. Rejects once a piece could not be written. */
  async acquire(): Promise<Buffer> {
    this.check();
    const free = this.#free.pop();
    if (free) return free;
    if (this.#made < SLOTS) {
      this.#made++;
      return Buffer.allocUnsafeSlow(PIECE_BYTES);
    }
    const buffer = await new Promise<Buffer>((resolve) =>
      this.#waiting.push(resolve),
    );
    try {
      this.check();
    } catch (error) {
      this.release(buffer);
      throw error;
    }
    return buffer;
  }

  /** Gives a buffer back unused. */
  release(buffer: Buffer): void {
    const next = this.#waiting.shift();
    if (next) next(buffer);
    else this.#free.push(buffer);
  }

  /** Has the beginning of a buffer kept as a piece. */
  keep(sha256: string, buffer: Buffer, length: number): void {
    let isHeld = true;
    const giveBack = () => {
      if (isHeld) this.release(buffer);
      isHeld = false;
    };
    const pending = this.#store
      .keep(sha256, buffer.subarray(0, length), giveBack)
      .catch((error: unknown) => {
        this.#failure ??= { error: this.#toError(error) };
      })
      .then(() => {
        this.#pending.delete(pending);
        giveBack();
      });
    this.#pending.add(pending);
  }

  /** Resolves when nothing is written any more, and rejects if a piece could not be. */
  async settle(): Promise<void> {
    await Promise.all(this.#pending);
    this.check();
  }

  /** Resolves when all is written, and frees its memory. Nothing may be acquired afterwards. */
  async close(): Promise<void> {
    await this.settle();
    this.#free.splice(0).forEach(releaseMemory);
  }

  /** Throws once a piece could not be written. */
  check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
