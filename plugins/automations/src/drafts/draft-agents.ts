import type { Clock, Log } from "@gantry/plugin";
import type { AgentRuns } from "@gantry/plugin-agents/contract";
import type { Spending } from "../money/spending.ts";
import type { Records } from "../records/records.ts";
import type { DescribeInput } from "../wire/draft.ts";

/** The agents that draft: each is made for one draft, and goes with it. */
export interface DraftAgents {
  /** @throws what the agents refuse: a CLI */
  make(draftId: string, input: DescribeInput): Promise<string>;
  /** Never rejects: what cannot be removed now is removed at the next start. */
  remove(draftId: string): Promise<void>;
  /** Removes those of drafts that a daemon before this one did not see the end of; what they cost is not known. */
  removeLeftBehind(): Promise<void>;
}

/** What the agents of drafts stand on. */
export interface DraftAgentsHost {
  agents: AgentRuns;
  records: Records;
  spending: Spending;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

/** Tells that there is an agent to be removed, whatever happens to the daemon. */
const DRAFTING = "drafting:";

export function createDraftAgents(host: DraftAgentsHost): DraftAgents {
  const { agents, records, spending, clock, log, signal } = host;

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
    async make(draftId, { cli = null, model = null }) {
      await records.batch([
        { type: "set", key: DRAFTING + draftId, value: {} },
      ]);
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
    remove,
    async removeLeftBehind() {
      for (const key of await records.keys(DRAFTING)) {
        const id = key.slice(DRAFTING.length);
        const at = clock.timestamp();
        const unseen = {
          id,
          startedAt: at,
          finishedAt: at,
          reason: null,
          costUsd: null,
        };
        await records.batch(spending.toWrite(unseen));
        spending.spent(unseen);
        await remove(id);
      }
    },
  };
}
