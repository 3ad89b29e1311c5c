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
 * An append-only file of JSON lines, opened when it is needed. Opening it removes an incomplete last line, which a crash
 * may have left. Its calls must not overlap.
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

  /** The end of the last complete line, in bytes. Valid while the file is open. */
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
   * Appends lines. With `durable` it resolves when they are on disk. A failed call leaves the file unchanged.
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
      // A full disk may have stored a part of the lines; the next append must not begin within a line.
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

  /** Closes the file; the next write opens it again. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** Removes an incomplete last line, and returns the size of the rest. */
  async #repair(file: FileHandle): Promise<number> {
    const { size } = await file.stat();
    if (size === 0 || (await isLineStart(file, size))) return size;
    const end = await lastLineStart(file, size);
    this.#log.warn(
      "The last entry of a transcript was incomplete after a crash and was removed",
      { bytes: size - end },
    );
    await file.truncate(end);
    await file.datasync();
    return end;
  }
}
