import {
  PackedFileWriter,
  type PackedFile,
  type PackedFileOptions,
} from "./packed-file-writer.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar-format.ts";

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
