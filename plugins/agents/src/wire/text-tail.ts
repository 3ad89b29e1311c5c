/** Keeps the end of a text of any length. */
export class TextTail {
  readonly #limit: number;
  #bytes = Buffer.alloc(0);

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    const joined = Buffer.concat([this.#bytes, chunk]);
    this.#bytes = joined.subarray(Math.max(0, joined.length - this.#limit));
  }

  text(): string {
    return this.#bytes.toString("utf8").trim();
  }
}
