/** A moment in real time by which something must be over, shared by everything that has to be done until then. */
export interface Deadline {
  /** Milliseconds left; 0 once it has passed. */
  left(): number;
  /** Aborts when it passes, with an error that says how long it was. */
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
  const expire = () => passed.abort(tookLonger(ms));
  const timer = setTimeout(expire, ms).unref();
  const left = () =>
    passed.signal.aborted ? 0 : Math.max(0, end - performance.now());
  return {
    left,
    passed: passed.signal,
    expire() {
      clearTimeout(timer);
      expire();
    },
    atMost(limit) {
      const part = createDeadline(Math.min(limit, left()));
      if (passed.signal.aborted) part.expire();
      else passed.signal.addEventListener("abort", part.expire, { once: true });
      return part;
    },
  };
}

const tookLonger = (ms: number) =>
  new Error(`It took longer than ${Math.round(ms)} ms.`);

/** How long a promise is waited for: until the first of these. */
export interface Limit {
  deadline?: Deadline;
  ms?: number;
  signal?: AbortSignal;
  /** Called when `ms` are over; if it returns true, the promise gets the same time again. */
  isExcused?(): boolean;
}

/** What a promise resolves with. Rejects when its time is over, and with the reason of the signal if that aborts. */
export async function within<Result>(
  promise: Promise<Result>,
  {
    deadline,
    ms = deadline?.left(),
    signal = deadline?.passed,
    isExcused,
  }: Limit,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const abort = () => late.reject(signal?.reason);
  let timer: NodeJS.Timeout | undefined;
  // A timer that keeps the process alive, unlike the deadline's own: something is still waited for.
  const wait = (limit: number) => {
    const expire = () =>
      isExcused?.() ? wait(limit) : late.reject(tookLonger(limit));
    timer = setTimeout(expire, limit);
  };
  if (ms !== undefined) wait(ms);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}
