/** A moment in real time by which something must be over, shared by everything that has to be done until then. */
export interface Deadline {
  /** Milliseconds left; 0 once it has passed. */
  left(): number;
  /** Aborts when it passes. */
  readonly passed: AbortSignal;
  /** Lets it pass at once. */
  expire(): void;
  /** A deadline for a part of the work: in `ms` from now, and never after this one. */
  atMost(ms: number): Deadline;
}

/** Real time on purpose: a deadline is a guard against code that hangs, whatever clock the daemon has. */
export function createDeadline(ms: number): Deadline {
  const end = performance.now() + ms;
  const passed = new AbortController();
  const timer = setTimeout(() => passed.abort(), ms).unref();
  const left = () =>
    passed.signal.aborted ? 0 : Math.max(0, end - performance.now());
  return {
    left,
    passed: passed.signal,
    expire() {
      clearTimeout(timer);
      passed.abort();
    },
    atMost(limit) {
      const part = createDeadline(Math.min(limit, left()));
      if (passed.signal.aborted) part.expire();
      else passed.signal.addEventListener("abort", part.expire, { once: true });
      return part;
    },
  };
}

/**
 * Rejects when a promise takes longer than a number of ms, or than a deadline leaves.
 *
 * @param isExcused Called when the time is over; if it returns true, the promise gets the same time again.
 */
export async function within<Result>(
  limit: number | Deadline,
  promise: Promise<Result>,
  isExcused: () => boolean = () => false,
): Promise<Result> {
  const ms = typeof limit === "number" ? limit : limit.left();
  const passed = typeof limit === "number" ? undefined : limit.passed;
  let expire = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    expire = () =>
      reject(new Error(`It took longer than ${Math.round(ms)} ms.`));
  });
  // A timer that keeps the process alive, unlike the deadline's own: something is still waited for.
  let timer: NodeJS.Timeout;
  const wait = () => {
    timer = setTimeout(() => (isExcused() ? wait() : expire()), ms);
  };
  wait();
  passed?.addEventListener("abort", expire);
  if (passed?.aborted) expire();
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer!);
    passed?.removeEventListener("abort", expire);
  }
}
