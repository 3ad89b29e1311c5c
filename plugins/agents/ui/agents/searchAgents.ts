import { api, useToast, type PaletteItem } from "@gantry/ui-kit";
import type { Agent, ListOf } from "../wire.ts";
import { byUrgency, conditionOf, conditions } from "./agentCondition.ts";
import { describeFolder } from "./folderName.ts";
import { readQuery, type PaletteQuery } from "./paletteQuery.ts";

const recentRead = 100;
const recentShown = 6;

/** Finds agents for the command palette, with a command that stops each one that is working; without a query the recent ones. */
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
      // Only one that is open can be stopped, and without a name those are the ones that matter.
      state: verb === "stop" || name === "" ? "open" : undefined,
    },
    signal,
  });
  return items.flatMap((agent) => toPaletteItems(agent, verb));
}

/** Those first that need input or are working, then those that changed last. */
async function findRecent(signal: AbortSignal): Promise<PaletteItem[]> {
  const { items } = await api.get<ListOf<Agent>>("/api/agents", {
    query: { limit: recentRead },
    signal,
  });
  return items
    .toSorted(byUrgency)
    .slice(0, recentShown)
    .map((agent) => ({ ...toGo(agent), label: agent.name }));
}

function toGo(agent: Agent): PaletteItem {
  return {
    id: agent.id,
    label: `Go to ${agent.name}`,
    detail: `${conditions[conditionOf(agent)].label} · ${describeFolder(agent)}`,
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
  const atWork = condition === "working" || condition === "waiting";
  const stop: PaletteItem = {
    id: `stop-${agent.id}`,
    label: `Stop ${agent.name}`,
    detail: "Ends the turn that is running",
    icon: "i-lucide-circle-stop",
    async run() {
      const toast = useToast();
      await api.post(`/api/agents/${agent.id}/abort`, { body: {} });
      toast.success(`${agent.name} was stopped`);
    },
  };
  if (verb === "stop") return atWork ? [stop] : [];
  return atWork && verb === undefined ? [go, stop] : [go];
}
