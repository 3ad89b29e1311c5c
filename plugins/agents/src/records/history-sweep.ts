import type { Clock, StoreOperation } from "@gantry/plugin";
import type { Records } from "./records.ts";

/** Dependencies of {@link createHistorySweep}. */
export interface HistorySweepHost {
  records: Records;
  clock: Clock;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A message that was delivered or given up stays in the list of its agent for so long; the conversation keeps it. */
const TASK_KEPT_MS = 90 * DAY_MS;
/** No report of usage reaches further back. The sums of what was spent stay. */
const TURN_KEPT_MS = 732 * DAY_MS;
const BATCH = 200;

/**
 * Creates the job that removes tasks and turns that are too old. In batches, so that nothing else waits for long. What
 * waits to be sent is never removed.
 */
export function createHistorySweep({
  records,
  clock,
}: HistorySweepHost): (signal: AbortSignal) => Promise<void> {
  const remove = async (operations: StoreOperation[]) => {
    if (operations.length > 0) await records.batch(operations);
  };

  /** Reads the oldest first and removes what is over, up to the first one that is younger than the limit. */
  async function sweepTasks(agentId: string, signal: AbortSignal) {
    const limit = new Date(clock.now() - TASK_KEPT_MS).toISOString();
    for (let cursor: string | undefined; !signal.aborted;) {
      const page = await records.tasks.list({
        ...{ index: "agent", prefix: [agentId], order: "ascending" },
        ...{ limit: BATCH, cursor },
      });
      const old = page.items.filter(({ createdAt }) => createdAt < limit);
      const over = old.filter(
        ({ status, updatedAt }) =>
          status !== "queued" && status !== "delivering" && updatedAt < limit,
      );
      await remove(over.flatMap((task) => records.tasks.toRemove(task)));
      if (page.nextCursor === null || old.length < page.items.length) return;
      cursor = page.nextCursor;
    }
  }

  async function sweepTurns(signal: AbortSignal) {
    const limit = new Date(clock.now() - TURN_KEPT_MS).toISOString();
    while (!signal.aborted) {
      const { items } = await records.turns.list({
        ...{ index: "day", order: "ascending", limit: BATCH },
      });
      const old = items.filter(({ day }) => day < limit.slice(0, 10));
      await remove(old.flatMap((turn) => records.turns.toRemove(turn)));
      if (old.length < BATCH) return;
    }
  }

  return async (signal) => {
    for (let cursor: string | undefined; !signal.aborted;) {
      const page = await records.agents.list({ limit: BATCH, cursor });
      for (const { id } of page.items) await sweepTasks(id, signal);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    await sweepTurns(signal);
  };
}
