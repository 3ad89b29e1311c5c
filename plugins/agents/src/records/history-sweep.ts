import type { Clock, StoreOperation } from "@gantry/plugin";
import type { Records } from "./records.ts";

/** Dependencies of {@link createHistorySweep}. */
export interface HistorySweepHost {
  records: Records;
  clock: Clock;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a settled message stays in the task list of its agent. The conversation keeps the message. */
const TASK_RETENTION_MS = 90 * DAY_MS;
/** How long turns and charges are kept; no usage report covers a longer period. */
const TURN_RETENTION_MS = 732 * DAY_MS;
const BATCH_SIZE = 200;

/**
 * Creates the job that removes old tasks, turns and charges. It works in batches, so that it does not block other work for
 * long. Queued messages are never removed.
 */
export function createHistorySweep({
  records,
  clock,
}: HistorySweepHost): (signal: AbortSignal) => Promise<void> {
  const remove = async (operations: StoreOperation[]) => {
    if (operations.length > 0) await records.batch(operations);
  };

  /** Removes settled tasks, oldest first, up to the first task that is younger than the limit. */
  async function sweepTasks(agentId: string, signal: AbortSignal) {
    const limit = new Date(clock.now() - TASK_RETENTION_MS).toISOString();
    for (let cursor: string | undefined; !signal.aborted;) {
      const page = await records.tasks.list({
        ...{ index: "agent", prefix: [agentId], order: "ascending" },
        ...{ limit: BATCH_SIZE, cursor },
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
    const limit = new Date(clock.now() - TURN_RETENTION_MS).toISOString();
    while (!signal.aborted) {
      const { items } = await records.turns.list({
        ...{ index: "day", order: "ascending", limit: BATCH_SIZE },
      });
      const old = items.filter(({ day }) => day < limit.slice(0, 10));
      await remove(old.flatMap((turn) => records.turns.toRemove(turn)));
      if (old.length < BATCH_SIZE) return;
    }
  }

  /** Charges get this old only while no plugin acknowledges them. */
  async function sweepCharges(signal: AbortSignal) {
    const limit = new Date(clock.now() - TURN_RETENTION_MS).toISOString();
    while (!signal.aborted) {
      const { items } = await records.charges.list({
        ...{ order: "ascending", limit: BATCH_SIZE },
      });
      const old = items.filter(({ createdAt }) => createdAt < limit);
      await remove(old.flatMap((charge) => records.charges.toRemove(charge)));
      if (old.length < BATCH_SIZE) return;
    }
  }

  return async (signal) => {
    for (let cursor: string | undefined; !signal.aborted;) {
      const page = await records.agents.list({ limit: BATCH_SIZE, cursor });
      for (const { id } of page.items) await sweepTasks(id, signal);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    await sweepTurns(signal);
    await sweepCharges(signal);
  };
}
