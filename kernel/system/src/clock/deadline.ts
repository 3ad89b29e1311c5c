/** A moment in real time by which something must have finished, shared by all steps until then. */
export interface Deadline {
  /** Milliseconds left; 0 once it has passed. */
  left(): number;
  /** Aborts when the deadline passes. */
  readonly passed: AbortSignal;
  /** Makes the deadline pass at once. */
  expire(): void;
  /** A deadline for a part of the work: `ms` from now, but never after this one. */
  atMost(ms: number): Deadline;
}

/** Uses real time, whatever clock the daemon has, since a deadline guards against code that hangs. */
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
 * @param isExcused Called on timeout; if it returns true, the promise gets the same time again.
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
  // A timer that keeps the process alive, unlike the deadline's own, since there is still work to wait for.
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
