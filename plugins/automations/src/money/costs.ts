import type { EventRecord } from "@gantry/plugin";
import type { AgentRuns, AgentUsage } from "@gantry/plugin-agents/contract";
import type { Records } from "../records/records.ts";
import { toSummary } from "../wire/run.ts";
import type { SpentBook } from "./spent.ts";

/** Dependencies of {@link createCosts}. */
export interface CostsHost {
  agents: AgentRuns;
  records: Records;
  spent: SpentBook;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** Keeps what runs are said to cost equal to what the agents recorded of their turns, which the usage report counts. */
export interface Costs {
  /**
   * What is recorded of a run, `null` if no turn of it is. To be asked under the lock of its automation, in the write
   * that ends the run, so that no later charge is lost between the two.
   */
  recall(runId: string): ReturnType<AgentRuns["recall"]>;
  /** Takes over what a turn of a run turned out to cost after the run had ended. */
  charged(
    event: EventRecord<{ runId: string | null; usage: AgentUsage }>,
  ): Promise<void>;
  /** Counts what runs of deleted automations cost that were cut off before they could be counted. */
  settleOwed(): Promise<void>;
}

export function createCosts(host: CostsHost): Costs {
  const { agents, records, spent, signal } = host;
  const { automations, states, runs, lock } = records;

  const recall = (runId: string) => agents.recall({ runId }, signal);

  async function correct(runId: string, costUsd: number): Promise<void> {
    const { operations, done } = spent.toCorrect(runId, costUsd);
    const run = await runs.get(runId);
    const automation = run && (await automations.get(run.automationId));
    // What belongs to a deleted automation is in the budget alone.
    if (!run || !automation) await records.batch(operations);
    else
      await runs.update(runId, async (current) => {
        if (current.result === "running") return undefined;
        const record = { ...current, costUsd };
        const state = await states.get(run.automationId);
        const isLast = state.lastRun?.id === runId;
        const summary = isLast ? toSummary(record) : state.lastRun;
        return {
          record,
          operations: [
            ...operations,
            ...states.toWrite({ ...state, lastRun: summary }),
          ],
        };
      });
    done();
  }

  return {
    recall,

    async charged({ data: { runId } }) {
      if (runId === null) return;
      const run = await runs.get(runId);
      // Under the lock: a run that ends now has asked for its cost either before this charge or after it.
      await lock.run(run?.automationId ?? runId, async () => {
        const costUsd = (await recall(runId))?.usage.costUsd ?? null;
        if (costUsd !== null) await correct(runId, costUsd);
      });
    },

    async settleOwed() {
      for (const runId of await spent.owed()) {
        const known = await recall(runId);
        const { operations, done } = spent.toSettle(
          runId,
          known?.usage.costUsd,
        );
        await records.batch(operations);
        done();
      }
    },
  };
}
