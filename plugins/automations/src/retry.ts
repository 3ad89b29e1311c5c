import { isGantryError } from "@gantry/plugin";
import type { Clock, Log, LogFields } from "@gantry/plugin";

/** Repeats work until it succeeds. Rejects only when the plugin stops. */
export type Retry = <Result>(
  work: () => Promise<Result>,
  /** What is logged of each failure. */
  failure: { message: string; fields?: LogFields },
) => Promise<Result>;

/** Dependencies of {@link createRetry}. */
export interface RetryHost {
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

const FIRST_DELAY_MS = 5_000;
/** So that a schedule is late by minutes at most after an outage, however long it was. */
const MAX_DELAY_MS = 5 * 60_000;

/**
 * Creates the loop for work that must happen at last, such as planning a schedule: whatever the store refuses now, it
 * may take later. The delay doubles after each failure up to five minutes, by the clock that only grows.
 */
export function createRetry({ clock, log, signal }: RetryHost): Retry {
  return async (work, { message, fields }) => {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs *= 2) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) throw error;
        const retryMs = Math.min(delayMs, MAX_DELAY_MS);
        const why = isGantryError(error) ? error.code : String(error);
        log.warn(message, { ...fields, why, retryMs });
        await clock.sleep(retryMs, signal);
      }
    }
  };
}
