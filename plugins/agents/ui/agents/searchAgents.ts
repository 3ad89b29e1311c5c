import { api, useToast, type PaletteItem } from "@gantry/ui-kit";
import type { Agent, ListOf } from "../wire.ts";
import { byUrgency, conditionOf, conditions } from "./agentCondition.ts";
import { toShortFolder } from "./folderName.ts";
import { readQuery, type PaletteQuery } from "./paletteQuery.ts";

const RECENT_PAGE_SIZE = 100;
const MAX_RECENT = 6;

/**
 * Finds agents for the command palette, with a "Stop" command for each one with a turn in progress. An empty query finds
 * recent agents.
 */
export async function searchAgents(
  query: string,
  signal: AbortSignal,
): Promise<PaletteItem[]> {
  if (query.trim() === "") return findRecent(signal);
  const { verb, name } = readQuery(query);
  const { items } = await api.get<ListOf<Agent>>("/api/agents", {
    query: {
      limit: 12,
      q: name || undefined,
      // Only an open agent can be stopped, and without a name only open agents are of interest.
      state: verb === "stop" || name === "" ? "open" : undefined,
    },
    signal,
  });
  return items.flatMap((agent) => toPaletteItems(agent, verb));
}

/** Returns recent agents, the most urgent first. */
async function findRecent(signal: AbortSignal): Promise<PaletteItem[]> {
  const { items } = await api.get<ListOf<Agent>>("/api/agents", {
    query: { limit: RECENT_PAGE_SIZE },
    signal,
  });
  return items
    .toSorted(byUrgency)
    .slice(0, MAX_RECENT)
    .map((agent) => ({ ...toGo(agent), label: agent.name }));
}

function toGo(agent: Agent): PaletteItem {
  return {
    id: agent.id,
    label: `Go to ${agent.name}`,
    detail: `${conditions[conditionOf(agent)].label} · ${toShortFolder(agent.cwd)}`,
    icon: "i-lucide-bot",
    to: `/agents/${agent.id}`,
  };
}

function toPaletteItems(
  agent: Agent,
  verb: PaletteQuery["verb"],
): PaletteItem[] {
  const condition = conditionOf(agent);
  const go = toGo(agent);
  const isBusy = condition === "working" || condition === "waiting";
  const stop: PaletteItem = {
    id: `stop-${agent.id}`,
    label: `Stop ${agent.name}`,
    detail: "Stops the current turn",
    icon: "i-lucide-circle-stop",
    async run() {
      const toast = useToast();
      await api.post(`/api/agents/${agent.id}/abort`, { body: {} });
      toast.success(`Stopped ${agent.name}`);
    },
  };
  if (verb === "stop") return isBusy ? [stop] : [];
  return isBusy && verb === undefined ? [go, stop] : [go];
}
