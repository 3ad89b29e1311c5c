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
 * The conversation of one agent as an append-only file of JSON Lines, one entry per line. Where a conversation continues
 * from an earlier entry, the file has a mark, which reading follows. A crash may leave an incomplete last line; reading
 * skips it, and the next append removes it.
 */
export class Transcript {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #file: AppendedFile;
  #lastId: string | null = null;
  #work: Promise<unknown> = Promise.resolve();
  readonly #guard: WriteGuard;

  /** @param guard Runs each change of the conversation, or rejects to refuse it. */
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
   * Appends entries and returns them as stored. With `durable` it resolves when they are on disk, else when the operating
   * system has them. A failed call leaves the file unchanged.
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
   * Copies one branch of another conversation into this transcript, which must have no entries. The copy is on disk when
   * this resolves. If it rejects, also because reading the lines failed, nothing was copied.
   *
   * @returns the number of copied entries
   */
  adopt(
    lines: Iterable<TranscriptLine> | AsyncIterable<TranscriptLine>,
  ): Promise<number> {
    return this.#change(async () => {
      await this.#file.close();
      return await writeWhole(this.#path, this.#placed(lines));
    });
  }

  /** Records that the following entries belong to this session of the CLI. */
  noteSession(session: Omit<SessionMark, "kind">): Promise<void> {
    return this.#change(async () => {
      await this.#open();
      const line = this.#toLine({ kind: "session", ...session });
      await this.#file.write([line], true);
    });
  }

  /** Continues from before an entry that {@link find} returned; later entries stay in the file as another branch. */
  branchBefore({ start }: FoundEntry): Promise<void> {
    return this.#change(async () => {
      const file = await this.#open();
      const line = this.#toLine({ kind: "branch", end: start });
      await this.#file.write([line], true);
      this.#lastId = (await readPage(file, start, 1)).items[0]?.id ?? null;
    });
  }

  /**
   * Removes an entry from the conversation: later entries are appended again, after the entry before it. The removed entry
   * stays in the file as a branch of its own. Does nothing if the entry is not in the conversation.
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

  /** Searches all branches for an entry, newest first. */
  async find(entryId: string): Promise<FoundEntry | undefined> {
    return await this.#read(async (file) => {
      const { size } = await file.stat();
      return await findEntry(file, size, entryId);
    });
  }

  /** Searches all branches for a session of the CLI. */
  async findSession(sessionId: string): Promise<EarlierSession | undefined> {
    return await this.#read(async (file) => {
      const { size } = await file.stat();
      return await findSession(file, size, sessionId);
    });
  }

  /** Yields the lines of the current branch, oldest first. */
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
   * Reads the newest entries of the current branch, or of all branches, before the `next` of an earlier page.
   *
   * @returns `undefined` if `before` is not a valid position
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

  /** Size on disk in bytes; 0 if there is no file yet. */
  async bytes(): Promise<number> {
    return (await stat(this.#path).catch(() => undefined))?.size ?? 0;
  }

  /** Closes the file; a later append opens it again. */
  close(): Promise<void> {
    return this.#queue(() => this.#file.close());
  }

  /** Deletes the file. */
  remove(): Promise<void> {
    return this.#queue(async () => {
      await this.#file.close();
      await unlink(this.#path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      });
    });
  }

  /** Converts the lines of another conversation to lines of a new transcript. */
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

  /** Converts the lines of a branch to lines that follow the entry `behind`. */
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

  /** Reads the file after the pending changes. */
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

/** Copies an entry with a new id, since the original stays in the file. */
function toCopy({
  type,
  entry,
}: Extract<TranscriptLine, { type: "entry" }>): TranscriptLine {
  return { type, entry: { ...entry, id: createIdentifier("ent") } };
}
