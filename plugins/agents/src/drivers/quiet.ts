import type { Clock, Disposer } from "@gantry/plugin";

/** Waits until nothing was heard for a while. */
export class Quiet {
  readonly #clock: Clock;
  readonly #ms: number;
  #stopTimer: Disposer = () => undefined;
  #waiting: (() => void) | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Something was heard: the wait begins again. */
  heard(): void {
    if (this.#waiting) this.#wait(this.#waiting);
  }

  /** Resolves when nothing was heard for the time, and at once when `signal` aborts. One waits at a time. */
  until(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#stopTimer();
        this.#waiting = undefined;
        signal.removeEventListener("abort", done);
        resolve();
      };
      if (signal.aborted) return done();
      signal.addEventListener("abort", done, { once: true });
      this.#waiting = done;
      this.#wait(done);
    });
  }

  #wait(done: () => void): void {
    this.#stopTimer();
    this.#stopTimer = this.#clock.after(this.#ms, done);
  }
}
