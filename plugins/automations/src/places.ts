/** A number of places that work waits for. */
export interface Places {
  /** How many are free. */
  free(): number;
  /** Runs work as soon as there is a place, in the order in which it came. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createPlaces(count: number): Places {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    free: () => free,
    async take(work) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        // The place goes straight to the next, so that nobody slips in between.
        if (next) next();
        else free++;
      }
    },
  };
}
