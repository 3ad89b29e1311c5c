import type { Clock } from "@gantry/plugin";
import { sleepOn } from "./system-clock.ts";

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
