import type { Clock } from "@gantry/plugin";

/** Limits how fast skips of webhook calls are written, by automation. */
export interface SkipBudget {
  /** Takes one. Gives the seconds to wait if there is none. */
  take(automationId: string): number | undefined;
}

const BURST = 20;
const REFILL_MS = 1_000;

interface Bucket {
  left: number;
  at: number;
}

/** A few skips at once are written, then one a second: a storm of calls must not fill the store. */
export function createSkipBudget(clock: Clock): SkipBudget {
  const buckets = new Map<string, Bucket>();
  return {
    take(automationId) {
      const now = clock.monotonic();
      const bucket = buckets.get(automationId) ?? { left: BURST, at: now };
      const left = Math.min(BURST, bucket.left + (now - bucket.at) / REFILL_MS);
      if (left < 1)
        return Math.max(1, Math.ceil(((1 - left) * REFILL_MS) / 1000));
      buckets.set(automationId, { left: left - 1, at: now });
      return undefined;
    },
  };
}
