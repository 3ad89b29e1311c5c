/** Bytes that arrive in chunks of any size and are taken in others. */
export class ByteQueue {
  #chunks: Buffer[] = [];
  /** What of the first chunk was taken already. */
  #taken = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(
      Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
    );
    this.#length += chunk.length;
  }

  /** Takes `length` bytes, which must be there. What it gives may share memory with what was pushed. */
  take(length: number): Buffer {
    const [first] = this.#chunks;
    if (length > this.#length) throw new RangeError("Not so many bytes.");
    if (first && first.length - this.#taken >= length) {
      const start = this.#taken;
      this.#advance(length);
      return first.subarray(start, start + length);
    }
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length;) {
      const chunk = this.#chunks[0] as Buffer;
      const count = Math.min(length - done, chunk.length - this.#taken);
      chunk.copy(bytes, done, this.#taken, this.#taken + count);
      this.#advance(count);
      done += count;
    }
    return bytes;
  }

  #advance(count: number): void {
    this.#length -= count;
    this.#taken += count;
    if (this.#taken < (this.#chunks[0]?.length ?? 0)) return;
    this.#chunks.shift();
    this.#taken = 0;
  }
}
