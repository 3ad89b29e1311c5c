/** A number of places that work waits for. */
export interface Places {
  /** How many are free. */
  free(): number;
  /**
   * Runs work as soon as there is a place, in the order in which it came. Once the signal aborts it waits no longer and
   * runs without one, to see for itself that it is over.
   */
  take<Result>(
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

export function createPlaces(count: number): Places {
  let free = count;
  const waiting = new Set<() => void>();

  /** Resolves with whether there is a place now. */
  function wait(signal: AbortSignal | undefined): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const enter = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve(true);
      };
      const giveUp = () => {
        waiting.delete(enter);
        resolve(false);
      };
      waiting.add(enter);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  function leave(): void {
    const [next] = waiting;
    // The place goes straight to the next, so that nobody slips in between.
    if (!next) return void free++;
    waiting.delete(next);
    next();
  }

  return {
    free: () => free,
    async take(work, signal) {
      let hasPlace = free > 0;
      if (hasPlace) free--;
      else hasPlace = await wait(signal);
      try {
        return await work();
      } finally {
        if (hasPlace) leave();
      }
    },
  };
}
