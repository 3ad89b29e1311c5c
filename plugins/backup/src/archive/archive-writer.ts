import {
  PackedFileWriter,
  type PackedFile,
  type PackedFileOptions,
} from "./packed-file-writer.ts";
import {
  ARCHIVE_BYTES,
  FREE_BYTES,
  MAX_ARCHIVE_ENTRIES,
  MAX_RATIO,
} from "./limits.ts";
import { tarEnd, tarHeader, tarPadding, tarredBytes } from "./tar-format.ts";

/** An archive that was written. */
export interface WrittenArchive extends PackedFile {
  entries: number;
}

/** Writes one archive. */
export class ArchiveWriter {
  readonly #file: PackedFileWriter;
  #entries = 0;

  constructor(folder: string, name: string, options: PackedFileOptions) {
    this.#file = new PackedFileWriter(folder, name, options);
  }

  /** Whether another file would make an archive that readers refuse, or that is larger than it has to be. */
  isFull(nextSize: number): boolean {
    if (this.#entries === 0) return false;
    const bytes = this.#file.unpackedBytes + tarredBytes(nextSize) + 1024;
    return (
      bytes > ARCHIVE_BYTES ||
      this.#entries >= MAX_ARCHIVE_ENTRIES ||
      (bytes > FREE_BYTES && bytes > this.#file.packedBytes * MAX_RATIO)
    );
  }

  async add(name: string, content: Uint8Array): Promise<void> {
    this.#entries++;
    await this.#file.write(tarHeader(name, content.length));
    await this.#file.write(content);
    await this.#file.write(tarPadding(content.length));
  }

  async close(): Promise<WrittenArchive> {
    await this.#file.write(tarEnd());
    return { ...(await this.#file.close()), entries: this.#entries };
  }

  abort(): Promise<void> {
    return this.#file.abort();
  }
}
