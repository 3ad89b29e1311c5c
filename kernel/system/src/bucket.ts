import type { Clock } from "@gantry/plugin";

/** Makes a token bucket that is full at first and refills steadily, by the monotonic clock. */
export function createBucket(clock: Clock, size: number, periodMs: number) {
  const perToken = periodMs / size;
  let tokens = size;
  let at = clock.monotonic();
  return {
    /** Takes one try. 0 if it may pass, else the ms until the next one may. */
    take(): number {
      const now = clock.monotonic();
      tokens = Math.min(size, tokens + (now - at) / perToken);
      at = now;
      if (tokens < 1) return (1 - tokens) * perToken;
      tokens -= 1;
      return 0;
    },
  };
}
