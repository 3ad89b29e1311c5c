const FIRST_SIZE = 1024;

/** Keeps the end of a text of any length. The cost depends on what is pushed, not on what is kept. */
export class TextTail {
  readonly #limit: number;
  /** A ring buffer once it has its full size. */
  #ring: Buffer;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#ring = Buffer.alloc(Math.min(FIRST_SIZE, limit));
  }

  push(chunk: Uint8Array): void {
    const kept = chunk.subarray(-this.#limit);
    this.#grow(this.#bytes + kept.length);
    const start = (this.#bytes + chunk.length - kept.length) % this.#limit;
    const room = this.#ring.length - start;
    this.#ring.set(kept.subarray(0, room), start);
    this.#ring.set(kept.subarray(room), 0);
    this.#bytes += chunk.length;
  }

  text(): string {
    const end = this.#bytes % this.#limit;
    const parts =
      this.#bytes <= this.#limit
        ? [this.#ring.subarray(0, this.#bytes)]
        : [this.#ring.subarray(end), this.#ring.subarray(0, end)];
    return Buffer.concat(parts).toString("utf8").trim();
  }

  /** Grown on demand, since most texts are short. */
  #grow(needed: number): void {
    const { length } = this.#ring;
    if (needed <= length || length === this.#limit) return;
    const larger = Math.min(this.#limit, Math.max(needed, 2 * length));
    this.#ring = Buffer.concat([this.#ring], larger);
  }
}
