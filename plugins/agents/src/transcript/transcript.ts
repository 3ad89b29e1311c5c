import { constants } from "node:fs";
import { open, stat, unlink, type FileHandle } from "node:fs/promises";
import { createIdentifier, type Clock, type Log } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { Entry, NewEntry } from "./entry.ts";
import { findEntry, type FoundEntry } from "./find-entry.ts";
import type { Mark, SessionMark, TranscriptLine } from "./mark.ts";
import { readAllBackwards, readPathBackwards } from "./read-path.ts";
import {
  isDiskFull,
  isLineStart,
  lastLineStart,
  openForReading,
  readPage,
  writeAll,
  type TranscriptPage,
} from "./transcript-file.ts";

/**
 * The conversation of one agent as JSON Lines, one entry a line, only ever appended to. A conversation that goes on from
 * an earlier entry is a mark in the file, and reading follows it. A crash may tear the last line; reading passes it
 * over, and the next append takes it away.
 */
export class Transcript {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #log: Log;
  #file: FileHandle | undefined;
  #size = 0;
  #lastId: string | null = null;
  #work: Promise<unknown> = Promise.resolve();

  constructor(path: string, clock: Clock, log: Log) {
    this.#path = path;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Appends entries and gives them as they are stored. With `durable` it resolves when they are on disk, else when
   * the system has them. What failed leaves the file as it was.
   */
  append(
    entries: readonly NewEntry[],
    options: { durable?: boolean } = {},
  ): Promise<Entry[]> {
    return this.#queue(async () => {
      const file = await this.#open();
      let parentId = this.#lastId;
      const placed = entries.map((entry): Entry => {
        const whole = {
          ...entry,
          id: entry.id ?? createIdentifier("ent"),
          parentId,
          at: this.#clock.timestamp(),
        };
        parentId = whole.id;
        return whole;
      });
      await this.#write(file, placed, options.durable ?? false);
      this.#lastId = parentId;
      return placed;
    });
  }

  /** Takes over a conversation that was written elsewhere, its branch alone. It is on disk when this resolves. */
  adopt(lines: readonly TranscriptLine[]): Promise<void> {
    return this.#queue(async () => {
      const file = await this.#open();
      const placed = this.#place(lines, this.#lastId);
      await this.#write(file, placed.lines, true);
      this.#lastId = placed.lastId;
    });
  }

  /** Says on disk that what follows belongs to this session of the CLI. */
  noteSession(session: Omit<SessionMark, "kind">): Promise<void> {
    return this.#queue(async () => {
      const file = await this.#open();
      await this.#write(
        file,
        [this.#toLine({ kind: "session", ...session })],
        true,
      );
    });
  }

  /** Goes on from before an entry that {@link find} gave; what followed it stays in the file as another branch. */
  branchBefore({ start }: FoundEntry): Promise<void> {
    return this.#queue(async () => {
      const file = await this.#open();
      const line = this.#toLine({ kind: "branch", end: start });
      await this.#write(file, [line], true);
      this.#lastId = (await readPage(file, start, 1)).items[0]?.id ?? null;
    });
  }

  /**
   * Takes an entry out of the conversation: what was appended since follows the entry before it. It stays in the file as
   * a branch of its own. Harmless if the entry is not in the conversation.
   */
  withdraw(entryId: string): Promise<void> {
    return this.#queue(async () => {
      const file = await this.#open();
      const later: TranscriptLine[] = [];
      for await (const line of readPathBackwards(file, this.#size)) {
        if (line.type !== "entry" || line.entry.id !== entryId) {
          later.unshift(line.type === "entry" ? toCopy(line) : line);
          continue;
        }
        const { start } = line;
        const mark = this.#toLine({ kind: "branch", end: start });
        const before = (await readPage(file, start, 1)).items[0]?.id ?? null;
        const { lines, lastId } = this.#place(later, before);
        await this.#write(file, [mark, ...lines], true);
        this.#lastId = lastId;
        return;
      }
    });
  }

  /** Looks for an entry in all branches, the newest first. */
  async find(entryId: string): Promise<FoundEntry | undefined> {
    return await this.#read(async (file) => {
      const { size } = await file.stat();
      return await findEntry(file, size, entryId);
    });
  }

  /** The conversation as it stands, oldest first: its branch alone. */
  async path(): Promise<TranscriptLine[]> {
    const lines = await this.#read(async (file) => {
      const { size } = await file.stat();
      const found: TranscriptLine[] = [];
      for await (const line of readPathBackwards(file, size)) found.push(line);
      return found.reverse();
    });
    return lines ?? [];
  }

  /** Resolves when everything appended so far is on disk. */
  sync(): Promise<void> {
    return this.#queue(async () => await this.#file?.datasync());
  }

  /**
   * Reads a page of the newest entries before a place that an earlier page gave; of all branches if told so.
   *
   * @returns `undefined` if `before` is no such place.
   */
  async page(
    limit: number,
    before?: number,
    options: { allBranches?: boolean } = {},
  ): Promise<TranscriptPage | undefined> {
    const read = options.allBranches ? readAllBackwards : readPathBackwards;
    const empty = before === undefined ? { items: [], next: null } : undefined;
    return await this.#read(async (file) => {
      const end = before ?? (await file.stat()).size;
      if (before !== undefined && !(await isLineStart(file, before)))
        return undefined;
      return await readPage(file, end, limit, read);
    }, empty);
  }

  /** Bytes on disk; 0 if there is nothing yet. */
  async bytes(): Promise<number> {
    return (await stat(this.#path).catch(() => undefined))?.size ?? 0;
  }

  /** Closes the file; a later append opens it again. */
  close(): Promise<void> {
    return this.#queue(async () => {
      const file = this.#file;
      this.#file = undefined;
      await file?.close();
    });
  }

  /** Forgets the conversation. */
  remove(): Promise<void> {
    return this.#queue(async () => {
      const file = this.#file;
      this.#file = undefined;
      await file?.close();
      await unlink(this.#path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      });
    });
  }

  /** Lines of a branch as they are stored behind an entry. */
  #place(
    branch: readonly TranscriptLine[],
    behind: string | null,
  ): { lines: object[]; lastId: string | null } {
    let lastId = behind;
    const lines = branch.flatMap((line): object[] => {
      if (line.type === "mark")
        return line.mark.kind === "session" ? [this.#toLine(line.mark)] : [];
      const entry = { ...line.entry, parentId: lastId };
      lastId = entry.id;
      return [entry];
    });
    return { lines, lastId };
  }

  #toLine(mark: Mark): object {
    return { at: this.#clock.timestamp(), mark };
  }

  async #write(
    file: FileHandle,
    lines: readonly object[],
    durable: boolean,
  ): Promise<void> {
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

  /** Reads the file as it is after all appends that were begun before. */
  async #read<Result>(
    read: (file: FileHandle) => Promise<Result>,
    missing?: Result,
  ): Promise<Result | undefined> {
    await this.#work.catch(() => undefined);
    const file = await openForReading(this.#path);
    if (!file) return missing;
    try {
      return await read(file);
    } finally {
      await file.close();
    }
  }

  #queue<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#work.then(task, task);
    this.#work = result.catch(() => undefined);
    return result;
  }

  async #open(): Promise<FileHandle> {
    if (this.#file) return this.#file;
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
    const file = await open(this.#path, flags, 0o600);
    try {
      this.#size = await this.#repair(file);
      const { items } = await readPage(file, this.#size, 1);
      this.#lastId = items[0]?.id ?? null;
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#file = file;
    return file;
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

/** The same entry under an id of its own, since the one that it copies stays in the file. */
function toCopy({
  type,
  entry,
}: Extract<TranscriptLine, { type: "entry" }>): TranscriptLine {
  return { type, entry: { ...entry, id: createIdentifier("ent") } };
}
