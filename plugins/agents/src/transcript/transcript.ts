import { stat, unlink, type FileHandle } from "node:fs/promises";
import { createIdentifier, type Clock, type Log } from "@gantry/plugin";
import { AppendedFile } from "./appended-file.ts";
import type { Entry, NewEntry } from "./entry.ts";
import { findEntry, type FoundEntry } from "./find-entry.ts";
import { findSession, type EarlierSession } from "./find-session.ts";
import type { Mark, SessionMark, TranscriptLine } from "./mark.ts";
import { readPathForward } from "./read-forward.ts";
import { readAllBackwards, readPathBackwards } from "./read-path.ts";
import {
  isLineStart,
  openForReading,
  readPage,
  type TranscriptPage,
} from "./transcript-file.ts";
import { writeWhole } from "./write-whole.ts";

type WriteGuard = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * The conversation of one agent as JSON Lines, one entry a line, only ever appended to. A continuation from an earlier entry is a
 * mark in the file, and reading follows it. A crash may tear the last line; reading skips it, and the next append removes it.
 */
export class Transcript {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #file: AppendedFile;
  #lastId: string | null = null;
  #work: Promise<unknown> = Promise.resolve();
  readonly #guard: WriteGuard;

  /** @param guard Runs each change of the conversation, or refuses it. */
  constructor(
    path: string,
    clock: Clock,
    log: Log,
    guard: WriteGuard = (work) => work(),
  ) {
    this.#path = path;
    this.#clock = clock;
    this.#file = new AppendedFile(path, log);
    this.#guard = guard;
  }

  /**
   * Appends entries and gives them as they are stored. With `durable` it resolves when they are on disk, else when
   * the system has them. What failed leaves the file as it was.
   */
  append(
    entries: readonly NewEntry[],
    options: { durable?: boolean } = {},
  ): Promise<Entry[]> {
    return this.#change(async () => {
      await this.#open();
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
      await this.#file.write(placed, options.durable ?? false);
      this.#lastId = parentId;
      return placed;
    });
  }

  /**
   * Takes over a conversation that was written elsewhere, its branch alone, into a transcript without entries. All of it
   * is on disk when this resolves. When it rejects, nothing is taken; so it does if reading the lines does.
   *
   * @returns how many entries were taken
   */
  adopt(
    lines: Iterable<TranscriptLine> | AsyncIterable<TranscriptLine>,
  ): Promise<number> {
    return this.#change(async () => {
      await this.#file.close();
      return await writeWhole(this.#path, this.#placed(lines));
    });
  }

  /** Says on disk that what follows belongs to this session of the CLI. */
  noteSession(session: Omit<SessionMark, "kind">): Promise<void> {
    return this.#change(async () => {
      await this.#open();
      const line = this.#toLine({ kind: "session", ...session });
      await this.#file.write([line], true);
    });
  }

  /** Continues from before an entry that {@link find} returned; what followed it stays in the file as another branch. */
  branchBefore({ start }: FoundEntry): Promise<void> {
    return this.#change(async () => {
      const file = await this.#open();
      const line = this.#toLine({ kind: "branch", end: start });
      await this.#file.write([line], true);
      this.#lastId = (await readPage(file, start, 1)).items[0]?.id ?? null;
    });
  }

  /**
   * Takes an entry out of the conversation: what was appended since follows the entry before it. It stays in the file as
   * a branch of its own. Harmless if the entry is not in the conversation.
   */
  withdraw(entryId: string): Promise<void> {
    return this.#change(async () => {
      const file = await this.#open();
      const later: TranscriptLine[] = [];
      for await (const line of readPathBackwards(file, this.#file.size)) {
        if (line.type !== "entry" || line.entry.id !== entryId) {
          later.unshift(line.type === "entry" ? toCopy(line) : line);
          continue;
        }
        const { start } = line;
        const mark = this.#toLine({ kind: "branch", end: start });
        const before = (await readPage(file, start, 1)).items[0]?.id ?? null;
        const { lines, lastId } = this.#place(later, before);
        await this.#file.write([mark, ...lines], true);
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

  /** Looks for a session of the CLI in all branches. */
  async findSession(sessionId: string): Promise<EarlierSession | undefined> {
    return await this.#read(async (file) => {
      const { size } = await file.stat();
      return await findSession(file, size, sessionId);
    });
  }

  /** The conversation as it stands, oldest first: its branch alone. */
  async *walk(): AsyncGenerator<TranscriptLine> {
    await this.#work.catch(() => undefined);
    const file = await openForReading(this.#path);
    if (!file) return;
    try {
      const { size } = await file.stat();
      yield* readPathForward(file, size);
    } finally {
      await file.close();
    }
  }

  /** Resolves when everything appended so far is on disk. */
  sync(): Promise<void> {
    return this.#queue(() => this.#file.sync());
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
    return this.#queue(() => this.#file.close());
  }

  /** Forgets the conversation. */
  remove(): Promise<void> {
    return this.#queue(async () => {
      await this.#file.close();
      await unlink(this.#path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      });
    });
  }

  /** Lines of a conversation from elsewhere as they are stored in a transcript of their own. */
  async *#placed(
    lines: Iterable<TranscriptLine> | AsyncIterable<TranscriptLine>,
  ): AsyncGenerator<object> {
    let lastId: string | null = null;
    for await (const line of lines) {
      const placed = this.#place([line], lastId);
      lastId = placed.lastId;
      yield* placed.lines;
    }
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

  #change<Result>(task: () => Promise<Result>): Promise<Result> {
    return this.#guard(() => this.#queue(task));
  }

  #queue<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#work.then(task, task);
    this.#work = result.catch(() => undefined);
    return result;
  }

  async #open(): Promise<FileHandle> {
    if (this.#file.isOpen) return await this.#file.open();
    const file = await this.#file.open();
    const { items } = await readPage(file, this.#file.size, 1);
    this.#lastId = items[0]?.id ?? null;
    return file;
  }
}

/** The same entry under an id of its own, since the one that it copies stays in the file. */
function toCopy({
  type,
  entry,
}: Extract<TranscriptLine, { type: "entry" }>): TranscriptLine {
  return { type, entry: { ...entry, id: createIdentifier("ent") } };
}
