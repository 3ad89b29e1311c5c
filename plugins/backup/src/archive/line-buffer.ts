import { MAX_PART_BYTES } from "./limits.ts";
import { releaseMemory } from "./release-memory.ts";

/**
 * Collects lines as UTF-8 in one piece of memory that is used again for each part: what a store holds would otherwise lie in
 * memory many times over before it is collected.
 */
export class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(MAX_PART_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What was collected. It is valid until the next `clear`. */
  get content(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Adds a line, which has `bytes` bytes as UTF-8. Only a line that is larger than a part makes it grow. */
  add(line: string, bytes: number): void {
    const length = this.#length + bytes;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(length);
      this.content.copy(larger);
      this.#bytes = larger;
    }
    this.#bytes.write(line, this.#length);
    this.#length = length;
  }

  /** Gives the memory back. Not after a failure: a compression that was given up may still read from it. */
  release(): void {
    this.#length = 0;
    releaseMemory(this.#bytes);
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_PART_BYTES)
      this.#bytes = Buffer.allocUnsafeSlow(MAX_PART_BYTES);
  }
}
