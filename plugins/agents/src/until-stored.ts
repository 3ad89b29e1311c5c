import { isGantryError, type Clock, type Log } from "@gantry/plugin";

/** Delay before work that an outage of the store interrupted is tried again. */
export const OUTAGE_RETRY_MS = 5_000;

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Codes of the store's errors during an outage, which is temporary. */
const OUTAGES: readonly string[] = ["STORAGE_FULL", "STORAGE_UNAVAILABLE"];

/** Whether a write failed because of an outage of the store. */
export function isOutage(error: unknown): boolean {
  return isGantryError(error) && OUTAGES.includes(error.code);
}

/**
 * Repeats a write until an outage of the store is over, for events that have happened already and must be recorded. Rejects
 * with any other error, and with the store's error once `signal` aborts; recovery at the next start then settles them.
 */
export async function untilStored<Result>(
  write: () => Promise<Result>,
  { clock, log, signal }: { clock: Clock; log: Log; signal: AbortSignal },
): Promise<Result> {
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(2 * wait, MAX_RETRY_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!isOutage(error) || signal.aborted) throw error;
      log.warn("A write failed and is repeated", { waitMs: wait });
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }
}
