import type { Clock, Collection, StoredRecord } from "@gantry/plugin";
import { PAYLOAD_KEPT_MS } from "../webhook/call-book.ts";
import type { Records } from "./records.ts";
import { MAX_RANGE_DAYS } from "./run-sums.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const CALLS_KEPT_MS = 30 * DAY_MS;
/** Days of any zone reach into UTC days before them. */
const SUMS_SLACK_DAYS = 2;
/** Payloads are large, so that few are read at once. */
const BATCH = 50;

/** Dependencies of removing. */
export interface RemoveOldHost {
  records: Records;
  clock: Clock;
  signal: AbortSignal;
  /** How many days runs are kept. */
  runDays: number;
}

/** Removes runs, calls, payloads and sums that are older than they are kept, in batches that hold up nothing else. */
export async function removeOld(host: RemoveOldHost): Promise<void> {
  const { runs, calls, payloads, sums } = host.records;
  await removeBefore(host, payloads, PAYLOAD_KEPT_MS);
  await removeBefore(host, calls, CALLS_KEPT_MS);
  // A run that is going is written to once more, however long it takes.
  await removeBefore(
    host,
    runs,
    host.runDays * DAY_MS,
    ({ result }) => result !== "running",
  );
  await sums.removeBefore(MAX_RANGE_DAYS + SUMS_SLACK_DAYS, host.clock.now());
}

async function removeBefore<Record extends StoredRecord>(
  { records, clock, signal }: RemoveOldHost,
  collection: Collection<Record>,
  keptMs: number,
  filter?: (record: Record) => boolean,
): Promise<void> {
  const limit = clock.now() - keptMs;
  while (!signal.aborted) {
    const oldest = await collection.list({
      index: "newest",
      order: "ascending",
      limit: BATCH,
      ...(filter && { filter }),
    });
    const old = oldest.items.filter(
      ({ createdAt }) => Date.parse(createdAt) < limit,
    );
    if (old.length === 0) return;
    await records.batch(old.flatMap((record) => collection.toRemove(record)));
  }
}
