import type { Collection } from "@gantry/plugin";
import type { AgentBrief, AgentDirectory } from "../contract.ts";
import type { AgentRecord } from "../records/agent-record.ts";

const MAX_PAGE = 500;

/** Makes the service by which other plugins see all agents. */
export function createAgentDirectory(
  agents: Collection<AgentRecord>,
): AgentDirectory {
  return {
    async list({ state }, signal) {
      const items: AgentBrief[] = [];
      let cursor: string | undefined;
      do {
        signal.throwIfAborted();
        const page = await agents.list({
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
