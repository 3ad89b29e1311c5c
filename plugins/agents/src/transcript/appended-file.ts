import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Log } from "@gantry/plugin";
import { errors } from "../errors.ts";
import {
  isDiskFull,
  isLineStart,
  lastLineStart,
  writeAll,
} from "./transcript-file.ts";

/**
 * A file of JSON lines that is only appended to, opened when it is needed. A crash may tear its last line, which is
 * taken away when it is opened. Its calls must not overlap.
 */
export class AppendedFile {
  readonly #path: string;
  readonly #log: Log;
  #file: FileHandle | undefined;
  #size = 0;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Up to here lines are whole. Known while it is open. */
  get size(): number {
    return this.#size;
  }

  get isOpen(): boolean {
    return this.#file !== undefined;
  }

  async open(): Promise<FileHandle> {
    if (this.#file) return this.#file;
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
    const file = await open(this.#path, flags, 0o600);
    try {
      this.#size = await this.#repair(file);
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#file = file;
    return file;
  }

  /**
   * Appends lines. With `durable` it resolves when they are on disk. What failed leaves the file as it was.
   *
   * @throws AGENT_DISK_FULL
   */
  async write(lines: readonly object[], durable: boolean): Promise<void> {
    const file = await this.open();
    const bytes = Buffer.from(
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
    try {
      await writeAll(file, bytes, this.#size);
      if (durable) await file.datasync();
    } catch (error) {
      // A disk that is full may have taken a part; a later append must not begin in the middle of a line.
      await file.truncate(this.#size).catch(() => undefined);
      throw isDiskFull(error)
        ? errors.AGENT_DISK_FULL({}, { cause: error })
        : error;
    }
    this.#size += bytes.length;
  }

  /** Resolves when everything appended so far is on disk. */
  async sync(): Promise<void> {
    await this.#file?.datasync();
  }

  /** A later call opens it again. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** Takes away a last line that a crash has torn, and gives the size that is left. */
  async #repair(file: FileHandle): Promise<number> {
    const { size } = await file.stat();
    if (size === 0 || (await isLineStart(file, size))) return size;
    const end = await lastLineStart(file, size);
    this.#log.warn(
      "The last entry of a transcript was torn by a crash and was taken away",
      { bytes: size - end },
    );
    await file.truncate(end);
    await file.datasync();
    return end;
  }
}
