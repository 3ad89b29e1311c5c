/** Shows what changes often no more often than it can be read. */
export interface Pacer {
  /** Shows it at the next good moment. */
  soon(): void;
  /** Shows it now. */
  now(): void;
  stop(): void;
}

/** Time between two pictures of a text that grows. */
const paceMs = 50;

/**
 * Makes a pacer. A page that is hidden draws no frames, so that it is shown by a timer alone; the work that the drawing
 * takes is left out of the count, so that a slow machine is not kept busy with nothing else.
 */
export function createPacer(show: () => void): Pacer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;

  function now(): void {
    clearTimeout(timer);
    timer = undefined;
    show();
    lastAt = performance.now();
  }

  return {
    now,
    soon() {
      if (timer !== undefined) return;
      const wait = Math.max(0, lastAt + paceMs - performance.now());
      timer = setTimeout(now, wait);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
