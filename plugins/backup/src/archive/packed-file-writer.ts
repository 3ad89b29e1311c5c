import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import type { Encryption } from "./age.ts";

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
  signal: AbortSignal;
}

export const ZSTD_LEVEL = 3;

const zstdOptions = {
  params: {
    [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL,
    [constants.ZSTD_c_checksumFlag]: 1,
  },
};

const NOTHING = new Uint8Array();

/** Writes a file that is compressed, encrypted if need be, and flushed at its end, with little of it in memory. */
export class PackedFileWriter {
  readonly #name: string;
  readonly #zstd = createZstdCompress(zstdOptions);
  readonly #done: Promise<void>;
  readonly #hash = createHash("sha256");
  #unpackedBytes = 0;
  #bytes = 0;

  constructor(folder: string, name: string, options: PackedFileOptions) {
    const { encryption, signal } = options;
    this.#name = name;
    const encrypt = async function* (source: AsyncIterable<Buffer>) {
      yield* encryption?.encryptStream(source) ?? source;
    };
    this.#done = pipeline(
      this.#zstd,
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
    if (chunk.length === 0) return;
    this.#unpackedBytes += chunk.length;
    const isWritable = this.#zstd.write(chunk);
    if (isWritable && !this.#zstd.destroyed) return;
    const given = new AbortController();
    try {
      await Promise.race([
        this.#done,
        once(this.#zstd, "drain", { signal: given.signal }),
      ]);
    } finally {
      given.abort();
    }
  }

  /** Ends the file, and resolves when it is on disk. */
  async close(): Promise<PackedFile> {
    // A chunk that still waits at the end would be compressed as the last one, so that equal content is not always equal bytes.
    await new Promise((resolve) => this.#zstd.write(NOTHING, resolve));
    this.#zstd.end();
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
    this.#zstd.destroy();
    await this.#done.catch(() => {});
  }

  async *#hashStored(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      this.#bytes += chunk.length;
      this.#hash.update(chunk);
      yield chunk;
    }
  }
}
