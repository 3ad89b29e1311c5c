import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createIdentifier, type ByteStream } from "@gantry/plugin";

/** Length of one write. Other requests are handled between writes. */
const BATCH_CHARS = 256 * 1024;

/**
 * Temporary files for responses whose length is only known when they are complete, so that a long response is not held in
 * memory. A file is removed when its stream is closed.
 */
export class Spool {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder and removes what an earlier daemon left in it. */
  static async create(folder: string): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder))
      await rm(join(folder, name), { force: true });
    return new Spool(folder);
  }

  /** Writes a text and returns it as a stream. Removes the file when the stream is closed, read to its end or not. */
  async write(pieces: AsyncIterable<string>): Promise<ByteStream> {
    const path = join(this.#folder, createIdentifier("out"));
    const file = await open(path, "wx+", 0o600);
    try {
      let batch = "";
      for await (const piece of pieces) {
        batch += piece;
        if (batch.length < BATCH_CHARS) continue;
        await file.appendFile(batch);
        batch = "";
      }
      await file.appendFile(batch);
      const { size: length } = await file.stat();
      const stream = file.createReadStream({ start: 0 });
      // What cannot be removed now is removed at the next start.
      const remove = () => rm(path, { force: true }).catch(() => undefined);
      stream.on("close", () => void remove());
      return { length, stream };
    } catch (error) {
      await file.close();
      await rm(path, { force: true });
      throw error;
    }
  }
}
