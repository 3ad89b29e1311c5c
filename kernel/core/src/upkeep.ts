import type { Connections } from "@gantry/http/connections";
import { scheduleJob } from "@gantry/system/clock/cron";
import type { Foundation } from "./foundation.ts";
import type { CrashGuard } from "./plugins/crash-guard.ts";

/** A start counts as successful after this time. */
const SETTLED_MS = 60_000;

/**
 * Starts the periodic work of a daemon: it notes that the start was successful, and every hour ends expired connections and
 * removes old events and idempotency keys.
 *
 * @returns stops the work
 */
export function startUpkeep(
  { clock, eventLog, idempotency, logOf }: Foundation,
  connections: Connections,
  guard: CrashGuard,
): () => void {
  const cancelSettled = clock.after(SETTLED_MS, () => guard.settled());
  const sweep = scheduleJob(
    {
      plugin: "kernel",
      line: "17 * * * *",
      timezone: "UTC",
      async job() {
        connections.endStale();
        await Promise.all([eventLog.prune(), idempotency.prune()]);
      },
    },
    { clock, log: logOf("kernel") },
  );
  return () => {
    cancelSettled();
    sweep();
    guard.settled();
  };
}
