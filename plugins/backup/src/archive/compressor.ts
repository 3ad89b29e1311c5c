import { constants, createZstdCompress, type ZstdOptions } from "node:zlib";
import { releaseMemory } from "./release-memory.ts";

const ZSTD_LEVEL = 3;

const zstdOptions: ZstdOptions = {
  params: {
    [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL,
    [constants.ZSTD_c_checksumFlag]: 1,
  },
};

/** For frames that are written at once, which then say how long their content is. */
export const WHOLE_FRAMES: ZstdOptions = {
  // Each chunk waits for the event loop, which hashes other content meanwhile.
  chunkSize: 512 * 1024,
  flush: constants.ZSTD_e_end,
};

/**
 * Compresses one frame after another in the same memory, about three megabytes. A zstd stream for each frame would allocate its own
 * in any of the threads of the pool, and the allocator keeps what each of them has freed.
 */
export class Compressor {
  readonly #zstd;
  #chunks: Buffer[] = [];
  /** The last chunk of the frame that was released last. */
  #last: Buffer | undefined;

  /** @param options `WHOLE_FRAMES` if each `write` is to be a frame. */
  constructor(options: ZstdOptions = {}) {
    this.#zstd = createZstdCompress({ ...zstdOptions, ...options });
    this.#zstd.on("data", (chunk: Buffer) => this.#chunks.push(chunk));
    // `write` and `end` reject with this error.
    this.#zstd.on("error", () => {});
  }

  /** Compresses content, and gives what of the frame is complete. The content is not read any more when this resolves. */
  write(content: Uint8Array): Promise<Buffer[]> {
    return this.#collect((done) => this.#zstd.write(content, done));
  }

  /** Ends the frame, and gives the rest of it. The next write begins another one. */
  end(): Promise<Buffer[]> {
    return this.#collect((done) =>
      this.#zstd.flush(constants.ZSTD_e_end, done),
    );
  }

  /** Frees the memory of a frame that was written at once. Nothing may use it any more. */
  release(frame: readonly Buffer[]): void {
    const last = frame.at(-1);
    if (!last) return;
    for (const chunk of [this.#last ?? last, ...frame])
      // zstd continues in the memory of the last chunk.
      if (chunk.buffer !== last.buffer) releaseMemory(chunk);
    this.#last = last;
  }

  /** Frees its memory. Twice is harmless. */
  close(): void {
    this.#zstd.destroy();
  }

  async #collect(
    work: (done: (error?: Error | null) => void) => void,
  ): Promise<Buffer[]> {
    await new Promise<void>((resolve, reject) =>
      work((error) => (error ? reject(error) : resolve())),
    );
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }
}
