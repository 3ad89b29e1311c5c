/** How work waits for a place. */
export interface TakeOptions {
  /** Once it aborts, the work waits no longer and runs without a place, to see for itself that it is over. */
  signal?: AbortSignal;
  /** The work waits behind all that is not low. */
  isLow?: boolean;
}

/** A number of places that work waits for. */
export interface Places {
  /** How many are free. */
  free(): number;
  /** Runs work as soon as there is a place, in the order in which it came. */
  take<Result>(
    work: () => Promise<Result>,
    options?: TakeOptions,
  ): Promise<Result>;
}

export function createPlaces(count: number): Places {
  let free = count;
  const ordinary = new Set<() => void>();
  const low = new Set<() => void>();

  /** Resolves with whether there is a place now. */
  function wait({ signal, isLow = false }: TakeOptions): Promise<boolean> {
    const waiting = isLow ? low : ordinary;
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
    const waiting = ordinary.size > 0 ? ordinary : low;
    const [next] = waiting;
    // The place goes straight to the next, so that no other work comes in between.
    if (!next) return void free++;
    waiting.delete(next);
    next();
  }

  return {
    free: () => free,
    async take(work, options = {}) {
      let hasPlace = free > 0;
      if (hasPlace) free--;
      else hasPlace = await wait(options);
      try {
        return await work();
      } finally {
        if (hasPlace) leave();
      }
    },
  };
}
