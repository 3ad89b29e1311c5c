import { api } from "@gantry/ui-kit";
import { onScopeDispose, shallowRef, watch, type ShallowRef } from "vue";
import { useAgents } from "../parts/useAgents.ts";
import type { DevServer, ListOf } from "../wire.ts";

/** A dev server with the agent that runs it. */
export interface AgentServer extends DevServer {
  agentId: string;
  agentName: string;
}

/** Maximum number of open agents whose dev servers are requested. */
const MAX_AGENTS = 8;

/** Finds the dev servers of the open agents, once. */
export function useDevServers(): Readonly<ShallowRef<readonly AgentServer[]>> {
  const servers = shallowRef<readonly AgentServer[]>([]);
  const { list } = useAgents();
  const abort = new AbortController();
  onScopeDispose(() => abort.abort());

  const find = async (agentId: string, agentName: string) => {
    const answer = await api.get<ListOf<DevServer>>("/api/browser/servers", {
      query: { agentId },
      signal: abort.signal,
    });
    return answer.items.map((server) => ({ ...server, agentId, agentName }));
  };
  const stop = watch(
    list,
    async (agents) => {
      const open = agents.filter(({ state }) => state === "open");
      if (open.length === 0) return;
      stop();
      // These are suggestions only: servers that cannot be determined are left out.
      const found = await Promise.all(
        open
          .slice(0, MAX_AGENTS)
          .map(({ id, name }) => find(id, name).catch((): AgentServer[] => [])),
      );
      servers.value = found.flat();
    },
    { flush: "post" },
  );
  return servers;
}
