import { countBytes } from "../wire/frames.ts";
import type { ViewerHears } from "../wire/protocol.ts";

/** Bytes that may be on their way to a viewer, to begin with. */
const FIRST_WINDOW = 256 * 1024;
const MIN_WINDOW_BYTES = 64 * 1024;
const MAX_WINDOW_BYTES = 4 * 1024 * 1024;
/** So much more may be on its way to a viewer that is slower than others. */
const MAX_AHEAD_BYTES = 2 * 1024 * 1024;
/** A viewer that confirms a whole window faster than this can take more; one that takes longer than the second is to get less. */
const QUICK_MS = 60;
const SLOW_MS = 250;
/** A viewer that confirms nothing for so long is no longer waited for. */
export const STALLED_MS = 1_500;

/** Takes what a viewer is to get, in order. */
export interface ViewerSink {
  hears(message: ViewerHears): void;
  output(pieces: readonly Buffer[]): void;
}

/**
 * A client that views a terminal. It confirms the bytes that it has drawn. Only as many are in flight as it draws within a fraction
 * of a second, so that the echo of what the user types is never far behind.
 */
export class Viewer {
  readonly sink: ViewerSink;
  /** Output was left out for this viewer: it gets a fresh screen before anything else. */
  isBehind = false;
  #unconfirmed = 0;
  #window = FIRST_WINDOW;
  #fullSince: number | undefined;

  constructor(sink: ViewerSink) {
    this.sink = sink;
  }

  /** Whether the window has room for more. */
  get hasRoom(): boolean {
    return this.#unconfirmed < this.#window;
  }

  /** Whether enough is confirmed for a fresh screen to make sense. */
  get hasCaughtUp(): boolean {
    return this.#unconfirmed < this.#window / 2;
  }

  /** Whether the viewer is so far behind others, for which the program continues, that the rest is left out for it. */
  get isLost(): boolean {
    return this.#unconfirmed > this.#window + MAX_AHEAD_BYTES;
  }

  /** Whether nothing was confirmed for too long. */
  isStalled(now: number): boolean {
    return this.#fullSince !== undefined && now - this.#fullSince > STALLED_MS;
  }

  output(pieces: readonly Buffer[], now: number): void {
    this.sink.output(pieces);
    this.#unconfirmed += countBytes(pieces);
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
      // Slow, not gone.
      this.#fullSince = now;
    }
  }
}
