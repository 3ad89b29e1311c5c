import type { Clock } from "@gantry/plugin";

/** The real time, since a page waits in it too: a badge that is late is left out after a second. */
export function createRealClock(): Clock {
  const clock: Clock = {
    now: () => Date.now(),
    timestamp: () => new Date().toISOString(),
    monotonic: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener("abort", () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
      }),
  };
  return clock;
}
