import { createWriteStream } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  rm,
  statfs,
  symlink,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { StoreEntry } from "@gantry/plugin";
import { flush } from "@gantry/plugin/files";
import { writeNewFile } from "./plain-file.ts";
import { diskFull, toFolderError } from "./refusals.ts";
import { toLine } from "./write-store.ts";

/** Room on a disk that is left alone. */
const RESERVE_BYTES = 16 * 1024 * 1024;

/** A folder that a snapshot is extracted into. */
export class Stage {
  readonly #folder: string;
  readonly #isDurable: boolean;
  readonly #made = new Set<string>();

  private constructor(folder: string, isDurable: boolean) {
    this.#folder = folder;
    this.#isDurable = isDurable;
  }

  /**
   * @param bytes What will be written.
   * @throws a TypeError for what is no empty folder, BACKUP_DISK_FULL
   */
  static async open(
    folder: string,
    { bytes, isDurable }: { bytes: number; isDurable: boolean },
  ): Promise<Stage> {
    const stats = await lstat(folder);
    if (!stats.isDirectory() || (await readdir(folder)).length > 0)
      throw new TypeError(`${folder} is not an empty folder.`);
    const { bavail, bsize } = await statfs(folder);
    const missing = bytes + RESERVE_BYTES - bavail * bsize;
    if (missing > 0) throw diskFull(folder, missing);
    return new Stage(folder, isDurable);
  }

  /** Writes the entries of a namespace; no file if there are none. */
  async writeEntries(
    namespace: string,
    batches: AsyncIterable<readonly StoreEntry[]>,
  ): Promise<void> {
    async function* toText() {
      for await (const batch of batches)
        if (batch.length > 0) yield batch.map(toLine).join("");
    }
    const path = await this.#prepare(`store/${namespace}.ndjson`);
    const file = createWriteStream(path, {
      flags: "wx",
      mode: 0o600,
      flush: this.#isDurable,
    });
    let writeError: unknown;
    file.once("error", (error) => (writeError = error));
    try {
      await pipeline(toText, file);
    } catch (error) {
      throw error === writeError ? toFolderError(error, this.#folder) : error;
    }
    if (file.bytesWritten === 0) await rm(path);
  }

  /** Writes a small file. */
  async writeFile(name: string, content: Uint8Array | string): Promise<void> {
    await this.#onDisk(async () =>
      writeNewFile(await this.#prepare(name), content),
    );
  }

  /** Begins a file that is written in pieces. */
  async beginFile(name: string, mode: number) {
    const onDisk = <Result>(work: () => Promise<Result>) => this.#onDisk(work);
    const file = await onDisk(async () =>
      open(await this.#prepare(name), "wx", 0o600),
    );
    const isDurable = this.#isDurable;
    return {
      async write(content: Uint8Array) {
        await onDisk(() => file.writeFile(content));
      },
      async end() {
        await onDisk(async () => {
          // The user of the home can always read it.
          await file.chmod(mode | 0o400);
          if (isDurable) await flush(file);
        });
      },
      async close() {
        await file.close();
      },
    };
  }

  /** Makes a link, whose path and target were checked. */
  async makeLink(name: string, target: string): Promise<void> {
    await this.#onDisk(async () => symlink(target, await this.#prepare(name)));
  }

  /** Makes a folder, or gives one that is there its permissions. */
  async makeFolder(name: string, mode: number): Promise<void> {
    await this.#onDisk(async () => {
      const path = join(this.#folder, name);
      await this.#makeFolders(path);
      // The user of the home can always change what is in it.
      await chmod(path, mode | 0o700);
    });
  }

  /** Makes the names of all that was written durable. */
  async finish(): Promise<void> {
    if (!this.#isDurable) return;
    for (const folder of this.#made) await flush(folder);
    await flush(this.#folder);
  }

  /** Removes all that was written. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => []))
      await rm(join(this.#folder, name), { recursive: true, force: true });
  }

  /** Makes the folders of a file, whose path was checked. */
  async #prepare(name: string): Promise<string> {
    const path = join(this.#folder, name);
    await this.#makeFolders(dirname(path));
    return path;
  }

  async #makeFolders(folder: string): Promise<void> {
    if (this.#made.has(folder) || folder === this.#folder) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let at = folder; at !== this.#folder; at = dirname(at))
      this.#made.add(at);
  }

  async #onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw toFolderError(error, this.#folder);
    }
  }
}
