import { createHash } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { toVisibleText } from "@gantry/plugin";
import { errors } from "../errors.ts";

const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;
/** Number of files that are read concurrently. */
const MAX_OPEN_FILES = 8;
const BLOCK_BYTES = 64 * 1024;

/** A file or folder of the configuration, in the order of the digest. */
interface Part {
  /** Path for display, which is a part of the digest. */
  shown: string;
  /** The file to read, if it is one. */
  file?: string;
  /** Its content hash, or a word for what it is if it cannot be read. */
  mark: string | Uint8Array;
}

/**
 * The digest of files and folders with all of their content. It depends only on names and contents. Each file is read
 * completely, since a file can change without a change of its size and times.
 */
export class ConfigDigest {
  readonly #parts: Part[] = [];
  /** Folders that were entered already, since links may form a cycle. */
  readonly #entered = new Set<string>();
  #bytes = 0;

  /**
   * Adds a file or a folder. `shown` is its path for display.
   *
   * @throws AGENT_CONFIG_TOO_LARGE
   */
  async add(file: string, shown: string): Promise<void> {
    await this.#add(file, shown);
  }

  /** @throws AGENT_CONFIG_TOO_LARGE */
  async toHex(): Promise<string> {
    const files = this.#parts.values();
    const readFiles = async () => {
      const block = Buffer.allocUnsafe(BLOCK_BYTES);
      for (const part of files)
        if (part.file !== undefined)
          part.mark = await this.#read(part.file, part.shown, block);
    };
    await Promise.all(Array.from({ length: MAX_OPEN_FILES }, readFiles));
    const hash = createHash("sha256");
    for (const { shown, mark } of this.#parts)
      hash.update(`${shown}\0`).update(mark);
    return hash.digest("hex");
  }

  async #add(path: string, shown: string, entry?: Dirent): Promise<void> {
    if (this.#parts.length >= MAX_FILES)
      throw tooLarge(shown, `${MAX_FILES} files`);
    const part: Part = { shown, mark: "" };
    this.#parts.push(part);
    if (entry?.isFile()) part.file = path;
    else if (entry?.isDirectory()) await this.#enter(part, path);
    else await this.#follow(part, path);
  }

  /** Follows a link as the CLI would do, and adds its target. */
  async #follow(part: Part, path: string): Promise<void> {
    const real = await realpath(path).catch(() => undefined);
    const stats =
      real === undefined ? undefined : await stat(real).catch(() => undefined);
    if (real === undefined || !stats) part.mark = "gone\0";
    else if (stats.isFile()) part.file = real;
    else if (stats.isDirectory()) await this.#enter(part, real);
    else part.mark = "special\0";
  }

  async #enter(part: Part, real: string): Promise<void> {
    if (this.#entered.has(real)) return void (part.mark = "again\0");
    this.#entered.add(real);
    const entries = await readdir(real, { withFileTypes: true }).catch(
      () => undefined,
    );
    if (!entries) return void (part.mark = "unreadable\0");
    const byName = entries.toSorted((left, right) =>
      left.name < right.name ? -1 : 1,
    );
    for (const entry of byName)
      await this.#add(
        join(real, entry.name),
        `${part.shown}/${entry.name}`,
        entry,
      );
  }

  /** Hashes a file. An unreadable file cannot be read by the CLI either; when it becomes readable, the digest changes. */
  async #read(
    file: string,
    shown: string,
    block: Uint8Array,
  ): Promise<string | Uint8Array> {
    const { O_RDONLY, O_NONBLOCK } = constants;
    // Without O_NONBLOCK, opening a file that was replaced by a pipe would block forever.
    const handle = await open(file, O_RDONLY | O_NONBLOCK).catch(
      () => undefined,
    );
    if (!handle) return "unreadable\0";
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return "special\0";
      // Checked before reading, since reading a sparse file up to the limit would take minutes.
      if (this.#bytes + stats.size > MAX_BYTES) throw tooManyBytes(shown);
      const hash = createHash("sha256");
      for (let isOver = false; !isOver;) {
        const { bytesRead } = await handle.read(block, 0, block.length, null);
        this.#bytes += bytesRead;
        if (this.#bytes > MAX_BYTES) throw tooManyBytes(shown);
        hash.update(block.subarray(0, bytesRead));
        isOver = bytesRead < block.length;
      }
      return hash.digest();
    } finally {
      await handle.close();
    }
  }
}

function tooManyBytes(path: string): Error {
  return tooLarge(path, `${MAX_BYTES / 1024 / 1024} MiB`);
}

function tooLarge(path: string, limit: string): Error {
  const shown = toVisibleText(path.slice(0, 300));
  return errors.AGENT_CONFIG_TOO_LARGE({ path: shown, limit });
}
