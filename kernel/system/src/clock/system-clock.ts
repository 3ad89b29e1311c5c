import type { Clock, Disposer } from "@gantry/plugin";

/** The longest delay that a timer of the platform holds; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The real time. */
export function createSystemClock(): Clock {
  const clock: Clock = {
    now: Date.now,
    timestamp: () => new Date().toISOString(),
    monotonic: () => performance.now(),
    after(ms, callback): Disposer {
      let timer: NodeJS.Timeout;
      const arm = (left: number) => {
        const step = Math.min(Math.max(left, 0), MAX_TIMER_MS);
        timer = setTimeout(
          () => (left > step ? arm(left - step) : callback()),
          step,
        );
      };
      arm(ms);
      return () => clearTimeout(timer);
    },
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
  };
  return clock;
}

/** A clock that stands at a time, in ms since 1970 UTC: nothing on it ever becomes due. */
export function createStillClock(now: number): Clock {
  const clock: Clock = {
    now: () => now,
    timestamp: () => new Date(now).toISOString(),
    monotonic: () => 0,
    after: () => () => {},
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
  };
  return clock;
}

/** `Clock.sleep` in terms of `Clock.after`, for every clock. */
export function sleepOn(
  clock: Pick<Clock, "after">,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
