import { describeError } from "@gantry/plugin";
import type { Clock, Log } from "@gantry/plugin";
import { isEqualCall } from "../records/audit.ts";
import type { AuditInput, CountedCall } from "../records/audit.ts";

/** How long calls are collected before they are written. */
const WRITE_INTERVAL_MS = 1_000;
/** Entries that wait to be written; when the disk is too slow the oldest are dropped, as from the stored list. */
const MAX_WAITING = 5_000;

/** The calls of agents, which are written once a second. */
export interface AuditLog {
  record(call: AuditInput): void;
  /** Writes what waits. Resolves when all that was recorded before is stored. */
  flush(): Promise<void>;
}

/** Opens the log. A failed write is logged, and its entries are lost; those recorded later are written as usual. */
export function openAuditLog({
  clock,
  log,
  write,
}: {
  clock: Pick<Clock, "timestamp" | "after">;
  log: Pick<Log, "error">;
  write(calls: readonly CountedCall[]): Promise<void>;
}): AuditLog {
  let waiting: CountedCall[] = [];
  let cancelTimer: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    const calls = waiting;
    waiting = [];
    if (calls.length > 0)
      writing = writing
        .then(() => write(calls))
        .catch((error: unknown) =>
          log.error("Calls of agents to a browser were not recorded", {
            ...{ calls: calls.length, reason: describeError(error) },
          }),
        );
    return writing;
  }

  return {
    record(call) {
      const last = waiting.at(-1);
      const at = clock.timestamp();
      if (last && isEqualCall(last, call)) {
        last.count += 1;
        last.at = at;
      } else {
        waiting.push({ ...call, at, count: 1 });
        if (waiting.length > MAX_WAITING) waiting.shift();
      }
      cancelTimer ??= clock.after(WRITE_INTERVAL_MS, () => void flush());
    },
    flush,
  };
}
