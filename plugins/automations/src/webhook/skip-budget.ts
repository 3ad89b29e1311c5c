import type { Clock } from "@gantry/plugin";

/** Limits how fast skips of webhook calls are written, by automation. */
export interface SkipBudget {
  /** Takes one. Gives the seconds to wait if there is none. */
  take(automationId: string): number | undefined;
  /** The seconds to wait, as `take` gives them, without taking one. */
  wait(automationId: string): number | undefined;
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
  const leftOf = (automationId: string) => {
    const now = clock.monotonic();
    const bucket = buckets.get(automationId) ?? { left: BURST, at: now };
    return Math.min(BURST, bucket.left + (now - bucket.at) / REFILL_MS);
  };
  const wait = (automationId: string) => {
    const left = leftOf(automationId);
    return left < 1
      ? Math.max(1, Math.ceil(((1 - left) * REFILL_MS) / 1000))
      : undefined;
  };
  return {
    wait,
    take(automationId) {
      const seconds = wait(automationId);
      if (seconds !== undefined) return seconds;
      const left = leftOf(automationId) - 1;
      buckets.set(automationId, { left, at: clock.monotonic() });
      return undefined;
    },
  };
}
