import { useResource } from "@gantry/ui-kit";
import { computed } from "vue";
import type { Agent } from "../wire.ts";

const MAX_AGENTS = 500;

/** Loads the names of agents. Returns a function that gives the name of one by its id, in words if it has none. */
export function useAgentNames(): (agentId: string) => string {
  const agents = useResource<{ items: Agent[] }>("/api/agents", {
    query: { limit: MAX_AGENTS },
    refreshOn: [
      "agents.agent-created",
      "agents.agent-changed",
      "agents.agent-deleted",
    ],
  });
  const names = computed(
    () => new Map(agents.data.value?.items.map(({ id, name }) => [id, name])),
  );
  return (agentId) =>
    names.value.get(agentId) ??
    (agents.data.value ? "A deleted agent" : "An agent");
}
