/** During a flood so much time lies between two pieces, so that there are few large ones. */
const PIECE_MS = 4;
const MAX_PIECE_BYTES = 64 * 1024;
/** So much goes through within that time without waiting: the echo of a key, a line, the beginning of a screen. */
const AT_ONCE = 8 * 1024;

/** Lets what comes in small amounts through at once, and puts together what comes in a flood. */
export class Gatherer {
  readonly #deliver: (data: Buffer) => void;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #spanSince = -Infinity;
  #spanBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deliver: (data: Buffer) => void) {
    this.#deliver = deliver;
  }

  add(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= MAX_PIECE_BYTES) return this.flush();
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
    const [first] = this.#pieces;
    if (!first) return;
    const data =
      this.#pieces.length === 1
        ? first
        : Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
    this.#deliver(data);
  }
}
