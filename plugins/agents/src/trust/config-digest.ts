import { createHash } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { toVisibleText } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { ConfigFile } from "./config-changes.ts";

const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;
/** Files that are read at the same time. */
const MAX_OPEN = 8;
const BLOCK_BYTES = 64 * 1024;
/** Largest JSON file whose entries are looked at, and all of them together. */
const MAX_TEXT_BYTES = BLOCK_BYTES;
const MAX_ALL_TEXT_BYTES = 1024 * 1024;

/** Something of the configuration, in the order in which it counts. */
interface Part {
  shown: string;
  /** Its name in every working tree of the repository. */
  name: string;
  /** The file that is to be read, if it is one. */
  file?: string;
  /** Stands for it in the digest, after its name. */
  mark: string | Uint8Array;
  text?: string;
}

/** The digests of configuration. */
export interface ReadConfig {
  /** Of all of it, by the names that the user knows. */
  digest: string;
  /** Of all of it, by names that are the same in every working tree of the repository. */
  sharedDigest: string;
  files: ConfigFile[];
}

/**
 * The digest of files and folders with everything in them. It depends on names and contents alone, and each file is read every
 * time: sizes and times can stay the same while a file changes, and a mapped file may be written without either.
 */
export class ConfigDigest {
  readonly #parts: Part[] = [];
  /** Folders that were entered, since links may lead in a circle. */
  readonly #entered = new Set<string>();
  #bytes = 0;
  #textBytes = 0;

  /**
   * Adds a file or a folder under the name that the user knows it by.
   *
   * @param name The same in every working tree of the repository.
   * @throws AGENT_CONFIG_TOO_LARGE
   */
  async add(file: string, shown: string, name: string): Promise<void> {
    await this.#add(file, shown, name);
  }

  /** @throws AGENT_CONFIG_TOO_LARGE */
  async read(): Promise<ReadConfig> {
    const parts = this.#parts.values();
    const readFiles = async () => {
      const block = Buffer.allocUnsafe(BLOCK_BYTES);
      for (const part of parts)
        if (part.file !== undefined)
          part.mark = await this.#read(part.file, part, block);
    };
    await Promise.all(Array.from({ length: MAX_OPEN }, readFiles));
    const hash = createHash("sha256");
    for (const { shown, mark } of this.#parts)
      hash.update(`${shown}\0`).update(mark);
    const files = this.#parts.map(({ name, mark, text }) => ({
      name,
      digest: Buffer.from(mark).toString("hex"),
      ...(text !== undefined && { text }),
    }));
    return {
      digest: hash.digest("hex"),
      sharedDigest: digestOf(files),
      // A folder itself says nothing that the files in it do not say.
      files: files.filter(({ digest }) => digest !== ""),
    };
  }

  async #add(
    path: string,
    shown: string,
    name: string,
    entry?: Dirent,
  ): Promise<void> {
    if (this.#parts.length >= MAX_FILES)
      throw tooLarge(shown, `${MAX_FILES} files`);
    const part: Part = { shown, name, mark: "" };
    this.#parts.push(part);
    if (entry?.isFile()) part.file = path;
    else if (entry?.isDirectory()) await this.#enter(part, path);
    else await this.#follow(part, path);
  }

  /** Links are followed, as the CLI would do; what lies behind one counts as if it were here. */
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
        `${part.name}/${entry.name}`,
        entry,
      );
  }

  #keepText(part: Part, block: Buffer, bytes: number): void {
    if (!part.name.endsWith(".json") || bytes > MAX_TEXT_BYTES) return;
    this.#textBytes += bytes;
    if (this.#textBytes <= MAX_ALL_TEXT_BYTES)
      part.text = block.toString("utf8", 0, bytes);
  }

  /** What cannot be read by us cannot be read by the CLI either; once it can, it counts as changed. */
  async #read(
    file: string,
    part: Part,
    block: Buffer,
  ): Promise<string | Uint8Array> {
    const { O_RDONLY, O_NONBLOCK } = constants;
    // Had it become a pipe meanwhile, an open that blocks would hang for ever.
    const handle = await open(file, O_RDONLY | O_NONBLOCK).catch(
      () => undefined,
    );
    if (!handle) return "unreadable\0";
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return "special\0";
      // A file with holes would take minutes to be read to the limit.
      if (this.#bytes + stats.size > MAX_BYTES) throw tooManyBytes(part.shown);
      const hash = createHash("sha256");
      let isFirst = true;
      for (let isOver = false; !isOver;) {
        const { bytesRead } = await handle.read(block, 0, block.length, null);
        this.#bytes += bytesRead;
        if (this.#bytes > MAX_BYTES) throw tooManyBytes(part.shown);
        hash.update(block.subarray(0, bytesRead));
        isOver = bytesRead < block.length;
        if (isOver && isFirst) this.#keepText(part, block, bytesRead);
        isFirst = false;
      }
      return hash.digest();
    } finally {
      await handle.close();
    }
  }
}

/** By name and content alone: what is there twice, here and in a working tree around this one, counts once. */
function digestOf(files: readonly ConfigFile[]): string {
  const lines = files.map(({ name, digest }) => JSON.stringify([name, digest]));
  const hash = createHash("sha256");
  for (const line of [...new Set(lines)].sort()) hash.update(`${line}\n`);
  return hash.digest("hex");
}

function tooManyBytes(path: string): Error {
  return tooLarge(path, `${MAX_BYTES / 1024 / 1024} MiB`);
}

function tooLarge(path: string, limit: string): Error {
  const shown = toVisibleText(path.slice(0, 300));
  return errors.AGENT_CONFIG_TOO_LARGE({ path: shown, limit });
}
