/** Throttles a callback. */
export interface Pacer {
  /** Schedules a call after the minimum interval, unless one is scheduled. */
  soon(): void;
  /** Calls it immediately. */
  now(): void;
  stop(): void;
}

/** Minimum time between two updates of a streamed text. */
const MIN_INTERVAL_MS = 50;

/**
 * Creates a throttle. The interval starts when the callback returns, so that a slow machine has time for other work. It uses
 * a timer because hidden pages get no animation frames.
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
      const wait = Math.max(0, lastAt + MIN_INTERVAL_MS - performance.now());
      timer = setTimeout(now, wait);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
