import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Encryption } from "./age.ts";
import type { Compressor } from "./compressor.ts";

/** Content that is compressed at once. */
const SLICE_BYTES = 256 * 1024;

/** A file that was written: what it is on disk, and how much is in it. */
export interface PackedFile {
  name: string;
  /** Of the file as it is stored. */
  sha256: string;
  bytes: number;
  unpackedBytes: number;
}

/** What a packed file is written with. */
export interface PackedFileOptions {
  /** Plain without one. */
  encryption?: Encryption | undefined;
  /** For one file after another. After an aborted file, which leaves it in the middle of a frame, it must not be used again. */
  compressor: Compressor;
  signal: AbortSignal;
}

/** Writes a file that is compressed, encrypted if need be, and flushed at its end, with little of it in memory. */
export class PackedFileWriter {
  readonly #name: string;
  readonly #compressor: Compressor;
  readonly #packed = new PassThrough();
  readonly #done: Promise<void>;
  readonly #hash = createHash("sha256");
  #unpackedBytes = 0;
  #bytes = 0;

  constructor(folder: string, name: string, options: PackedFileOptions) {
    const { compressor, encryption, signal } = options;
    this.#name = name;
    this.#compressor = compressor;
    const encrypt = async function* (source: AsyncIterable<Buffer>) {
      yield* encryption?.encryptStream(source) ?? source;
    };
    this.#done = pipeline(
      this.#packed,
      encrypt,
      (source: AsyncIterable<Buffer>) => this.#hashStored(source),
      createWriteStream(`${folder}/${name}`, {
        flags: "wx",
        mode: 0o600,
        flush: true,
      }),
      { signal },
    );
    // `write` and `close` throw this error.
    this.#done.catch(() => {});
  }

  /** Resolves when there is room for more. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#unpackedBytes += chunk.length;
    for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
      const slice = chunk.subarray(at, at + SLICE_BYTES);
      await this.#pass(await this.#compressor.write(slice));
    }
  }

  /** Ends the file, and resolves when it is on disk. */
  async close(): Promise<PackedFile> {
    await this.#pass(await this.#compressor.end());
    this.#packed.end();
    await this.#done;
    return {
      name: this.#name,
      sha256: this.#hash.digest("hex"),
      bytes: this.#bytes,
      unpackedBytes: this.#unpackedBytes,
    };
  }

  /** Gives it up, and resolves when its file is no longer written. Harmless after `close`. */
  async abort(): Promise<void> {
    this.#packed.destroy();
    await this.#done.catch(() => {});
  }

  async #pass(chunks: readonly Buffer[]): Promise<void> {
    let isWritable = !this.#packed.destroyed;
    for (const chunk of chunks) isWritable = this.#packed.write(chunk);
    if (isWritable && !this.#packed.destroyed) return;
    const given = new AbortController();
    try {
      await Promise.race([
        this.#done,
        once(this.#packed, "drain", { signal: given.signal }),
      ]);
    } finally {
      given.abort();
    }
  }

  async *#hashStored(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      this.#bytes += chunk.length;
      this.#hash.update(chunk);
      yield chunk;
    }
  }
}
