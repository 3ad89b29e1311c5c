import type { Clock } from "@gantry/plugin";

/** The real clock, for tests that wait for real processes. */
export function createRealClock(): Clock {
  const after = (ms: number, callback: () => void) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  };
  return {
    now: () => Date.now(),
    timestamp: () => new Date().toISOString(),
    monotonic: () => performance.now(),
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const cancel = after(ms, resolve);
        signal?.addEventListener(
          "abort",
          () => {
            cancel();
            reject(signal.reason);
          },
          { once: true },
        );
      }),
  };
}
