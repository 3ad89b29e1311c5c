import { Terminal } from "@xterm/headless/lib-headless/xterm-headless.mjs";
import { countBytes } from "../wire/frames.ts";
import type { PromptState } from "../wire/protocol.ts";
import { answerQueries } from "./answer-queries.ts";
import { cleanTitle } from "./clean-title.ts";
import { followPrompt } from "./prompt-marks.ts";
import type { PromptMarks } from "./prompt-marks.ts";
import { followModes } from "./screen-modes.ts";
import { createSequenceScanner } from "./sequence-scanner.ts";
import { serializeScreen } from "./serialize-screen.ts";
import { dropScrolledOut, isPlain } from "./skip-scrolled-out.ts";

/** Drawn at once; more would keep other terminals waiting. */
const SLICE = 32 * 1024;
/** Output that only writes text is drawn once it pauses for so long, since most of a flood scrolls away unseen … */
const LAZY_MS = 50;
/** … and at the latest then. */
const LATEST_MS = 500;
/** Pending bytes above which lines that have scrolled out of sight are dropped. */
const MAX_PENDING_BYTES = 1024 * 1024;
/** Less than this is drawn as it is. */
const WORTH_LOOKING = 64 * 1024;
/** Bytes of an unfinished sequence that are kept back from the screen. */
const MAX_UNFINISHED_BYTES = 64 * 1024;

/** How a screen begins. */
export interface ScreenOptions {
  cols: number;
  rows: number;
  scrollback: number;
  nonce: string | null;
  /** Writes an answer into the input of the program. */
  reply(text: string): void;
}

/** What a program has drawn: the screen and its scrollback, also without viewers. */
export class Screen {
  readonly #terminal: Terminal;
  readonly #scanner = createSequenceScanner();
  readonly #modes: ReturnType<typeof followModes>;
  readonly #prompt: PromptMarks;
  readonly #scrollback: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isPlain = true;
  #unfinished: Buffer[] = [];
  #unfinishedBytes = 0;
  /** The unfinished sequence is a string that is too long to be kept, and is dropped. */
  #isOverlong = false;
  #timer: NodeJS.Timeout | undefined;
  #lastFed = 0;
  #lastDrawn = 0;
  #drawing: Promise<void> | undefined;
  #title: string | null = null;

  constructor({ cols, rows, scrollback, nonce, reply }: ScreenOptions) {
    this.#scrollback = scrollback;
    this.#terminal = new Terminal({
      cols,
      rows,
      scrollback,
      allowProposedApi: true,
    });
    this.#modes = followModes(this.#terminal);
    this.#prompt = followPrompt(this.#terminal, nonce);
    answerQueries(this.#terminal, reply);
    this.#terminal.onTitleChange((title) => (this.#title = cleanTitle(title)));
  }

  get title(): string | null {
    return this.#title;
  }

  /** Bytes that are not drawn yet. */
  get backlog(): number {
    return this.#waitingBytes;
  }

  /** Takes output; it is drawn soon. */
  feed(chunk: Buffer): void {
    const wasGround = this.#scanner.isGround && this.#unfinished.length === 0;
    const opener = this.#scanner.stringOpener;
    const safe = this.#scanner.scan(chunk);
    const ready =
      wasGround && safe === chunk.length
        ? chunk
        : this.#split(chunk, safe, opener);
    if (!ready) return;
    // It begins and ends between sequences, so that each of them is whole.
    const isPlainChunk = isPlain(ready);
    if (!isPlainChunk) this.#letGo();
    this.#waiting.push(ready);
    this.#waitingBytes += ready.length;
    this.#isPlain &&= isPlainChunk;
    if (this.#waitingBytes > MAX_PENDING_BYTES) this.#letGo();
    this.#lastFed = performance.now();
    if (this.#drawing) return;
    if (!this.#isPlain || this.#waitingBytes > MAX_PENDING_BYTES)
      this.#drawSoon();
    else this.#timer ??= setTimeout(() => this.#drawLazily(), LAZY_MS);
  }

  /** Resolves when everything that came so far is drawn. */
  async settle(): Promise<void> {
    while (this.#waitingBytes > 0 || this.#drawing) {
      this.#drawSoon();
      await this.#drawing;
    }
  }

  async resize(cols: number, rows: number): Promise<void> {
    await this.settle();
    this.#terminal.resize(cols, rows);
  }

  /** Whether a shell waits for a command, once everything is drawn. */
  async prompt(): Promise<{ state: PromptState; hasTyped: boolean }> {
    await this.settle();
    const { state, hasTyped } = this.#prompt;
    return { state, hasTyped };
  }

  /** What was last seen of the prompt, without waiting for what is not drawn yet. */
  get lastPrompt(): PromptState {
    return this.#prompt.state;
  }

  /** Notes that Enter was typed; see {@link PromptMarks.enter}. */
  enter(state: "busy" | "unknown"): void {
    this.#prompt.enter(state);
  }

  /** Whether the program wants pasted text to be marked as such. */
  async takesPastes(): Promise<boolean> {
    await this.settle();
    return this.#terminal.modes.bracketedPasteMode;
  }

  /**
   * The screen as sequences that draw it on a fresh one, and what of the output is still unfinished: with both, a viewer that gets
   * the bytes that follow has lost nothing and sees nothing twice. To be called after {@link settle}, in the same turn.
   */
  snapshot(): Buffer {
    // One that is too long to be kept is opened again, and swallows the rest of what follows of it.
    const open = this.#isOverlong ? this.#scanner.stringOpener : undefined;
    return Buffer.concat([
      Buffer.from(serializeScreen(this.#terminal, this.#modes, this.#title)),
      Buffer.from(open ?? ""),
      ...this.#unfinished,
    ]);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#terminal.dispose();
  }

  /** Keeps back what is unfinished. Gives what can be drawn, if there is such a thing. */
  #split(
    chunk: Buffer,
    safe: number,
    opener: string | undefined,
  ): Buffer | undefined {
    // Copied, since the next read reuses the same memory.
    const rest = Buffer.from(chunk.subarray(safe));
    if (safe > 0) {
      const before = this.#isOverlong
        ? [Buffer.from(opener ?? "")]
        : this.#unfinished;
      this.#isOverlong = false;
      this.#unfinished = rest.length > 0 ? [rest] : [];
      this.#unfinishedBytes = rest.length;
      return Buffer.concat([...before, chunk.subarray(0, safe)]);
    }
    if (this.#isOverlong) return undefined;
    this.#unfinished.push(rest);
    this.#unfinishedBytes += rest.length;
    if (this.#unfinishedBytes <= MAX_UNFINISHED_BYTES) return undefined;
    const all = Buffer.concat(this.#unfinished);
    this.#unfinished = [];
    this.#unfinishedBytes = 0;
    // A string without end, such as a title of megabytes, means nothing to a screen: its beginning stands for all of it.
    this.#isOverlong = this.#scanner.stringOpener !== undefined;
    return this.#isOverlong ? undefined : all;
  }

  /** Lets go of lines that wait and are out of sight already, pushed away by those behind them. */
  #letGo(): void {
    // Until all before them is drawn, their meaning is unknown.
    const isKnown = this.#isPlain && !this.#drawing;
    if (!isKnown || this.#waitingBytes < WORTH_LOOKING) return;
    if (!this.#modes.scrollsWhole) return;
    const { rows, buffer } = this.#terminal;
    const above = buffer.active.type === "normal" ? this.#scrollback : 0;
    this.#waiting = dropScrolledOut(this.#waiting, above + 2 * rows);
    this.#waitingBytes = countBytes(this.#waiting);
  }

  #drawLazily(): void {
    this.#timer = undefined;
    const now = performance.now();
    // Of what comes without a pause, the end alone will be seen.
    const isBusy =
      now - this.#lastFed < LAZY_MS && now - this.#lastDrawn < LATEST_MS;
    if (isBusy && !this.#drawing)
      this.#timer = setTimeout(() => this.#drawLazily(), LAZY_MS);
    else this.#drawSoon();
  }

  #drawSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#drawing || this.#waitingBytes === 0) return;
    this.#letGo();
    this.#drawing = this.#draw().finally(() => {
      this.#drawing = undefined;
      this.#lastDrawn = performance.now();
      if (this.#waitingBytes > 0) this.#schedule();
    });
  }

  /** Has what waits drawn at once if it may mean something, else when it pauses. */
  #schedule(): void {
    if (!this.#isPlain) return this.#drawSoon();
    this.#letGo();
    if (this.#waitingBytes > MAX_PENDING_BYTES) this.#drawSoon();
    else this.#timer ??= setTimeout(() => this.#drawLazily(), LAZY_MS);
  }

  /** Draws what waits now, and nothing that comes in the meantime. */
  async #draw(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#isPlain = true;
    for (let at = 0; at < bytes.length; at += SLICE) {
      const slice = bytes.subarray(at, at + SLICE);
      await new Promise<void>((resolve) =>
        this.#terminal.write(slice, resolve),
      );
      this.#waitingBytes -= slice.length;
    }
  }
}
