import { isGantryError, type Clock, type Log } from "@gantry/plugin";

/** What could not be done during an outage of the store is tried again after this time. */
export const OUTAGE_RETRY_MS = 5_000;

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** What the store says while it takes nothing, which passes. */
const OUTAGES: readonly string[] = ["STORAGE_FULL", "STORAGE_UNAVAILABLE"];

/** Whether a write failed because the store takes none at the moment. */
export function isOutage(error: unknown): boolean {
  return isGantryError(error) && OUTAGES.includes(error.code);
}

/**
 * Repeats a write until the store takes it, for what has happened already and must not be forgotten. Rejects with any other error,
 * and with the store's own once `signal` aborts: the next start finds it out again.
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
      log.warn("The store takes nothing; it is tried again", { waitMs: wait });
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }
}
