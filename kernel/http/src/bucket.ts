import type { Clock } from "@gantry/plugin";

/** A token bucket: allows a number of tries per period. */
export interface Bucket {
  /** Takes one try. Returns 0 if it is allowed, else the ms until the next try is. */
  take(): number;
}

/** Creates a token bucket that is full at first and refills steadily, by the monotonic clock. */
export function createBucket(
  clock: Clock,
  size: number,
  periodMs: number,
): Bucket {
  const perToken = periodMs / size;
  let tokens = size;
  let at = clock.monotonic();
  return {
    take() {
      const now = clock.monotonic();
      tokens = Math.min(size, tokens + (now - at) / perToken);
      at = now;
      if (tokens < 1) return (1 - tokens) * perToken;
      tokens -= 1;
      return 0;
    },
  };
}
