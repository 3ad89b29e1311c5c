import { BYTES_HEAD_BYTES } from "../wire/frames.ts";

/** During a flood so much time lies between two pieces, so that there are few large ones. */
const PIECE_MS = 4;
/** With its head, what Node reads at once: the daemon finds one frame in each read, and has nothing to put together. */
const MAX_BYTES = 64 * 1024 - BYTES_HEAD_BYTES;
/** So much goes through within that time without waiting: the echo of a key, a line, the beginning of a screen. */
const AT_ONCE = 8 * 1024;
/** To write more than these one by one costs more than to copy them. */
const MAX_PIECES = 64;

/** Lets what comes in small amounts through at once, and puts together what comes in a flood. */
export class Gatherer {
  readonly #deliver: (pieces: readonly Buffer[]) => void;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #spanSince = -Infinity;
  #spanBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deliver: (pieces: readonly Buffer[]) => void) {
    this.#deliver = deliver;
  }

  add(chunk: Buffer): void {
    const room = MAX_BYTES - this.#bytes;
    this.#pieces.push(chunk.subarray(0, room));
    this.#bytes += Math.min(chunk.length, room);
    if (chunk.length >= room) {
      this.flush();
      if (chunk.length > room) this.add(chunk.subarray(room));
      return;
    }
    if (this.#timer) return;
    const now = performance.now();
    if (now - this.#spanSince >= PIECE_MS) {
      this.#spanSince = now;
      this.#spanBytes = 0;
    }
    this.#spanBytes += chunk.length;
    if (this.#spanBytes <= AT_ONCE) this.flush();
    else this.#timer = setTimeout(() => this.flush(), PIECE_MS);
  }

  /** Delivers what is there. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#bytes === 0) return;
    const pieces =
      this.#pieces.length > MAX_PIECES
        ? [Buffer.concat(this.#pieces)]
        : this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    this.#deliver(pieces);
  }
}
