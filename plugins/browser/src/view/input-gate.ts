import type { Clock } from "@gantry/plugin";
import type { TabSession } from "./tab-session.ts";

/** Input is delayed no longer than this, whatever the page does. */
const MAX_WAIT_MS = 1_000;
const MAX_WAITING = 2_000;

/** Waits two frames, so that everything requested before has been drawn. */
const NEXT_FRAMES =
  "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))";

/**
 * Delays input while Chromium takes a screenshot at another scale than the page's: until the page is drawn at its own
 * scale again, a click would land in another place.
 */
export class InputGate {
  readonly #session: TabSession;
  readonly #clock: Clock;
  #waiting: (() => void)[] = [];
  #isHeld = false;
  #stopTimer = () => {};

  constructor(session: TabSession, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
  }

  /** Runs `work` at once, or in order when input is released. */
  run(work: () => void): void {
    if (!this.#isHeld) work();
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(work);
  }

  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#stopTimer = this.#clock.after(MAX_WAIT_MS, () => this.#release());
  }

  /** Releases input as soon as the page has been drawn again. */
  releaseAfterFrame(): void {
    if (!this.#isHeld) return;
    this.#session.post(
      "Runtime.evaluate",
      { expression: NEXT_FRAMES, awaitPromise: true },
      () => this.#release(),
    );
  }

  close(): void {
    this.#stopTimer();
    this.#waiting = [];
  }

  #release(): void {
    this.#stopTimer();
    this.#isHeld = false;
    const ready = this.#waiting;
    this.#waiting = [];
    for (const work of ready) work();
  }
}
