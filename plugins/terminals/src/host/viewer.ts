import type { ToViewer } from "../wire/protocol.ts";

/** Bytes in flight to a new viewer. */
const FIRST_WINDOW = 256 * 1024;
const MIN_WINDOW_BYTES = 64 * 1024;
const MAX_WINDOW_BYTES = 4 * 1024 * 1024;
/** Bytes in flight beyond the window, to a viewer that is slower than others. */
const MAX_AHEAD_BYTES = 2 * 1024 * 1024;
/** A viewer that confirms a whole window faster than this gets a larger one; one that takes longer a smaller one. */
const QUICK_MS = 60;
const SLOW_MS = 250;
/** A viewer that confirms nothing for this time is not waited for any more. */
export const STALLED_MS = 1_500;

/** Takes what a viewer is to get, in order. */
export interface ViewerSink {
  message(message: ToViewer): void;
  output(data: Buffer): void;
}

/**
 * A page that shows a terminal. It confirms the bytes that it has drawn; the window of bytes in flight is what it draws
 * within a fraction of a second, so that the echo of a key is never far behind.
 */
export class Viewer {
  readonly sink: ViewerSink;
  /** Output was skipped: it gets a fresh screen before anything else. */
  isBehind = false;
  #unconfirmed = 0;
  #window = FIRST_WINDOW;
  #fullSince: number | undefined;

  constructor(sink: ViewerSink) {
    this.sink = sink;
  }

  /** Whether the window has room. */
  get hasRoom(): boolean {
    return this.#unconfirmed < this.#window;
  }

  /** Whether it has drawn enough of what it got for a fresh screen to make sense. */
  get hasCaughtUp(): boolean {
    return this.#unconfirmed < this.#window / 2;
  }

  /** Whether it is so far behind the others that its output is skipped from now on. */
  get isLost(): boolean {
    return this.#unconfirmed > this.#window + MAX_AHEAD_BYTES;
  }

  /** Whether it has not confirmed anything for too long. */
  isStalled(now: number): boolean {
    return this.#fullSince !== undefined && now - this.#fullSince > STALLED_MS;
  }

  output(data: Buffer, now: number): void {
    this.sink.output(data);
    this.#unconfirmed += data.length;
    if (!this.hasRoom) this.#fullSince ??= now;
  }

  confirm(bytes: number, now: number): void {
    this.#unconfirmed = Math.max(0, this.#unconfirmed - bytes);
    if (this.#fullSince === undefined) return;
    const took = now - this.#fullSince;
    if (this.hasCaughtUp) {
      if (took < QUICK_MS)
        this.#window = Math.min(this.#window * 2, MAX_WINDOW_BYTES);
      else if (took > SLOW_MS)
        this.#window = Math.max(this.#window / 2, MIN_WINDOW_BYTES);
      this.#fullSince = this.hasRoom ? undefined : now;
    } else {
      // It is slow, not gone.
      this.#fullSince = now;
    }
  }
}
