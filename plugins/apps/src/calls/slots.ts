/** Lets at most `count` calls run at once; others wait in the order in which they came. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs work as soon as there is a slot. Rejects with the signal's reason when it aborts before. */
  async use<Result>(
    work: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      // The caller may have stopped waiting at the moment at which the slot became free.
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#release();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(take);
        reject(signal.reason as Error);
      };
      const take = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      if (signal.aborted) return onAbort();
      this.#waiting.add(take);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    // Handed over without becoming free, so that a new caller cannot take it.
    this.#waiting.delete(next);
    next();
  }
}
