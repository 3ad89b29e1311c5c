import type { AgentBrief, AgentDirectory } from "../contract.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { Receivers } from "../screens/receivers.ts";
import type { AgentBook } from "./agent-book.ts";
import { countDeliveries } from "./agent-deliveries.ts";

const MAX_PAGE = 500;

/** Dependencies of {@link createAgentDirectory}. */
export interface AgentDirectoryHost {
  records: Records;
  book: AgentBook;
  receivers: Receivers;
  /** The folder of agents without a project. */
  work: string;
}

/** Creates the service with which other plugins list and look up agents. */
export function createAgentDirectory({
  records,
  book,
  receivers,
  work,
}: AgentDirectoryHost): AgentDirectory {
  return {
    get: async ({ agentId }) => toBrief(await book.get(agentId)),
    workFolder: async () => ({ path: work }),
    countDeliveries: async ({ agentId }) =>
      countDeliveries(records, receivers, await book.get(agentId)),
    async list({ state }, signal) {
      const items: AgentBrief[] = [];
      let cursor: string | undefined;
      do {
        signal.throwIfAborted();
        const page = await records.agents.list({
          limit: MAX_PAGE,
          cursor,
          ...(state && { filter: (agent) => agent.state === state }),
        });
        items.push(...page.items.map(toBrief));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return { items };
    },
  };
}

function toBrief(agent: AgentRecord): AgentBrief {
  const { id, name, cwd, cli, state, activity } = agent;
  return { id, name, cwd, cli, state, activity };
}
