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
 * Makes a pacer. The pause begins when the work of showing is done, so that a slow machine has time for other things. It
 * waits by a timer, since a page that is hidden draws no frames.
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
