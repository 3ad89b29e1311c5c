import type { ViewerHears } from "../wire/protocol.ts";

/** Bytes that may be on their way to a viewer, to begin with. */
const FIRST_WINDOW = 256 * 1024;
const SMALLEST_WINDOW = 64 * 1024;
const LARGEST_WINDOW = 4 * 1024 * 1024;
/** So much more may be on the way to one who is slower than others. */
const MOST_AHEAD = 2 * 1024 * 1024;
/** A viewer who confirms a whole window faster than this can take more; one who takes longer is to get less. */
const QUICK_MS = 60;
const SLOW_MS = 250;
/** Whoever confirms nothing for so long is not waited for any more. */
export const STALLED_MS = 1_500;

/** Takes what a viewer is to get, in order. */
export interface ViewerSink {
  hears(message: ViewerHears): void;
  output(data: Buffer): void;
}

/**
 * One who looks at a terminal, wherever he is. He confirms the bytes that he has drawn; so many may be on their way that he
 * draws them within a fraction of a second, so that what he types is never far behind.
 */
export class Viewer {
  readonly sink: ViewerSink;
  /** What was left out for him: he gets a fresh screen before anything else. */
  isBehind = false;
  #unconfirmed = 0;
  #window = FIRST_WINDOW;
  #fullSince: number | undefined;

  constructor(sink: ViewerSink) {
    this.sink = sink;
  }

  /** Whether there is room on the way to him. */
  get hasRoom(): boolean {
    return this.#unconfirmed < this.#window;
  }

  /** Whether he has drawn enough of what he got for a fresh screen to make sense. */
  get hasCaughtUp(): boolean {
    return this.#unconfirmed < this.#window / 2;
  }

  /** Whether he is so far behind others, for whom the program goes on, that he is to be spared the rest. */
  get isLost(): boolean {
    return this.#unconfirmed > this.#window + MOST_AHEAD;
  }

  /** Whether he has not confirmed anything for too long. */
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
        this.#window = Math.min(this.#window * 2, LARGEST_WINDOW);
      else if (took > SLOW_MS)
        this.#window = Math.max(this.#window / 2, SMALLEST_WINDOW);
      this.#fullSince = this.hasRoom ? undefined : now;
    } else {
      // He is slow, not gone.
      this.#fullSince = now;
    }
  }
}
