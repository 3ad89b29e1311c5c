import type { Clock, Disposer, Log } from "@gantry/plugin";
import type { CallRecord, Presented } from "../wire/call.ts";
import type { CallBook } from "./call-book.ts";

/** A call that was turned away before it could be asked for a run. */
export interface Refusal {
  automationId: string;
  verdict: "refused" | "repeated";
  code: string | null;
  address: string;
  /** For a call without the right secret. */
  presented?: Presented;
}

/** Writes refused calls. They are unauthenticated and unlimited: several share one entry with a count. */
export interface Refusals {
  add(refusal: Refusal): void;
  /** Writes what is only in memory. */
  flush(): Promise<void>;
}

/** Calls from one address with one answer are one entry for so long. */
const SPAN_MS = 10 * 60_000;
/** Addresses that have an entry of their own, by automation and span; all others share one. */
const MAX_ADDRESSES = 20;
/** Between writes of how many there were. */
const WRITE_MS = 5_000;

interface Entry {
  refusal: Omit<Refusal, "address"> & { address: string | null };
  since: number;
  count: number;
  written: number;
  lastAt: string;
  record?: CallRecord;
}

export function createRefusals(
  calls: CallBook,
  clock: Clock,
  log: Log,
): Refusals {
  const entries = new Map<string, Entry>();
  const addresses = new Map<string, number>();
  let cancel: Disposer | undefined;
  let work: Promise<void> = Promise.resolve();

  async function write(entry: Entry): Promise<void> {
    const { refusal, count, lastAt } = entry;
    if (count === entry.written) return;
    const facts = { ...refusal, bytes: null, runId: null };
    entry.record ??= await calls.add(facts);
    if (count > 1) await calls.count(entry.record, count, lastAt);
    entry.written = count;
  }

  async function writeAll(): Promise<void> {
    const now = clock.monotonic();
    for (const [key, entry] of entries) {
      try {
        await write(entry);
      } catch (error) {
        log.warn("Refused calls could not be listed", { why: String(error) });
        continue;
      }
      if (now - entry.since < SPAN_MS || entry.count > entry.written) continue;
      entries.delete(key);
      const { automationId } = entry.refusal;
      const left = (addresses.get(automationId) ?? 1) - 1;
      if (left > 0) addresses.set(automationId, left);
      else addresses.delete(automationId);
    }
  }

  function flush(): Promise<void> {
    work = work.then(writeAll);
    return work;
  }

  /** One timer for all, and none while nothing is to be written. */
  function arm(): void {
    cancel ??= clock.after(WRITE_MS, () => {
      cancel = undefined;
      void flush().then(() => {
        if (entries.size > 0) arm();
      });
    });
  }

  return {
    add({ address, ...refusal }) {
      const { automationId, verdict, code, presented = "" } = refusal;
      const kind = `${automationId} ${verdict} ${code} ${presented}`;
      const own = `${kind} ${address}`;
      const isFull = (addresses.get(automationId) ?? 0) >= MAX_ADDRESSES;
      const isNew = !entries.has(own);
      const key = isNew && isFull ? kind : own;
      let entry = entries.get(key);
      if (!entry) {
        const shown = key === own ? address : null;
        entry = {
          refusal: { ...refusal, address: shown },
          since: clock.monotonic(),
          count: 0,
          written: 0,
          lastAt: "",
        };
        entries.set(key, entry);
        addresses.set(automationId, (addresses.get(automationId) ?? 0) + 1);
      }
      entry.count++;
      entry.lastAt = clock.timestamp();
      if (entry.count === 1) void flush();
      arm();
    },
    async flush() {
      cancel?.();
      cancel = undefined;
      await flush();
    },
  };
}
