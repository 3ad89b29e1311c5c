import { describeError } from "@gantry/plugin";
import type { Clock, Log } from "@gantry/plugin";

/** How long entries are collected before they are written. */
const WRITE_INTERVAL_MS = 1_000;
/**
 * Entries waiting to be written; the oldest are dropped when the disk is too slow, since the stored list has the same
 * limit.
 */
const MAX_WAITING = 5_000;

/** One call of an agent, or several equal ones in a row, with the decision. */
export interface AuditEntry {
  agentId: string;
  method: string;
  verdict: "allowed" | "refused";
  /** Why the call was refused, as text for the user; `null` if it was allowed. */
  reason: string | null;
  /** RFC 3339 UTC of the first of them. */
  at: string;
  count: number;
}

/** Collects the calls of agents and writes them once a second. */
export interface AuditLog {
  record(entry: Omit<AuditEntry, "at" | "count">): void;
  /** Writes pending entries; resolves when they are stored. */
  flush(): Promise<void>;
}

/** Opens the log. A failed write is logged and its entries are lost; entries recorded later are written as usual. */
export function openAuditLog(options: {
  clock: Pick<Clock, "timestamp" | "after">;
  log: Pick<Log, "error">;
  write(entries: readonly AuditEntry[]): Promise<void>;
}): AuditLog {
  const { clock, log, write } = options;
  let waiting: AuditEntry[] = [];
  let cancelTimer: (() => void) | undefined;
  let writing: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    const entries = waiting;
    waiting = [];
    if (entries.length > 0)
      writing = writing
        .then(() => write(entries))
        .catch((error: unknown) =>
          log.error("Audit entries of the browser were not written", {
            reason: describeError(error),
          }),
        );
    return writing;
  }

  return {
    record({ agentId, method, verdict, reason }) {
      const last = waiting.at(-1);
      const isEqual =
        last?.agentId === agentId &&
        last.method === method &&
        last.verdict === verdict &&
        last.reason === reason;
      if (isEqual) last.count++;
      else {
        const at = clock.timestamp();
        waiting.push({ agentId, method, verdict, reason, at, count: 1 });
        if (waiting.length > MAX_WAITING) waiting.shift();
      }
      cancelTimer ??= clock.after(WRITE_INTERVAL_MS, () => void flush());
    },
    flush,
  };
}
