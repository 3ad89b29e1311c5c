import type { Clock, Log, StoreOperation } from "@gantry/plugin";
import type { AgentRuns } from "@gantry/plugin-agents/contract";
import type { Spending } from "../money/spending.ts";
import type { SpentBook, SpentRun } from "../money/spent.ts";
import type { Records } from "../records/records.ts";
import type { DescribeInput } from "../wire/draft.ts";

/** The agents that draft: each is made for one draft, and goes with it. */
export interface DraftAgents {
  /**
   * @param runIds Ids of the runs that the agent may be given.
   * @throws what the agents refuse: a CLI
   */
  make(
    draftId: string,
    input: DescribeInput,
    runIds: readonly string[],
  ): Promise<string>;
  /** Counts what a draft cost, once. */
  count(draft: SpentRun): Promise<void>;
  /** Never rejects: what cannot be removed now is removed at the next start. */
  remove(draftId: string): Promise<void>;
  /** Counts and removes those of drafts that a daemon before this one did not see the end of. */
  removeLeftBehind(): Promise<void>;
}

/** Dependencies of the agents of drafts. */
export interface DraftAgentsHost {
  agents: AgentRuns;
  records: Records;
  spending: Spending;
  spent: SpentBook;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

/** Tells that there is an agent to be removed, whatever happens to the daemon. */
const DRAFTING = "drafting:";

/** Runs whose cost is not counted yet; none once it is. Missing in notes of older versions. */
interface Note {
  runIds?: readonly string[];
}

export function createDraftAgents(host: DraftAgentsHost): DraftAgents {
  const { agents, records, spent, clock, log, signal } = host;

  const toNote = (draftId: string, note: Note): StoreOperation => ({
    type: "set",
    key: DRAFTING + draftId,
    value: note,
  });

  async function count(draft: SpentRun): Promise<void> {
    const { operations, done } = spent.toAdd(draft);
    await records.batch([...operations, toNote(draft.id, { runIds: [] })]);
    done();
  }

  /** What runs cost together; `null` if that is not known of any of them. */
  async function recall(runIds: readonly string[]): Promise<number | null> {
    let sum: number | null = null;
    for (const runId of runIds) {
      const recorded = await agents.recall({ runId }, signal);
      const costUsd = recorded?.usage.costUsd ?? null;
      if (costUsd !== null) sum = (sum ?? 0) + costUsd;
    }
    return sum;
  }

  async function remove(draftId: string): Promise<void> {
    try {
      await agents.removeAgents({ automationId: draftId }, signal);
      await records.batch([{ type: "remove", key: DRAFTING + draftId }]);
    } catch (error) {
      log.warn("The agent of a draft is not removed yet", {
        draftId,
        why: String(error),
      });
    }
  }

  return {
    async make(draftId, { cli = null, model = null }, runIds) {
      await records.batch([toNote(draftId, { runIds })]);
      const { agentId } = await agents.createAgent(
        {
          automationId: draftId,
          name: "Draft of an automation",
          cli,
          model,
          // An empty folder of its own: there is nothing to trust in it and nothing to break.
          cwd: null,
          readOnly: true,
        },
        signal,
      );
      return agentId;
    },
    count,
    remove,
    async removeLeftBehind() {
      for (const key of await records.keys(DRAFTING)) {
        const id = key.slice(DRAFTING.length);
        const { runIds } = (await records.get<Note>(key)) ?? {};
        const at = clock.timestamp();
        const isCounted = runIds?.length === 0;
        const costUsd = await recall(runIds ?? []);
        const times = { startedAt: at, finishedAt: at };
        if (!isCounted) await count({ id, ...times, reason: null, costUsd });
        await remove(id);
      }
    },
  };
}
