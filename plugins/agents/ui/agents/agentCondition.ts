import type { Tone } from "@gantry/ui-kit";
import type { Agent } from "../wire.ts";
import { continuationOf } from "./continuationOf.ts";

/** What an agent is doing. `cut-off`: the daemon stopped during its last turn, and the user may continue that. */
export type Condition = "waiting" | "cut-off" | "working" | "idle" | "closed";

/** How conditions are shown, in the order in which they matter to the reader. */
export const conditions: Readonly<
  Record<Condition, { label: string; heading: string; tone: Tone }>
> = {
  waiting: { label: "Needs input", heading: "Needs input", tone: "attention" },
  "cut-off": { label: "Cut off", heading: "Cut off", tone: "attention" },
  working: { label: "Working", heading: "Working", tone: "active" },
  idle: { label: "Idle", heading: "Idle", tone: "success" },
  closed: { label: "Closed", heading: "Closed", tone: "neutral" },
};

/** Tells what an agent is doing. */
export function conditionOf(
  agent: Pick<Agent, "state" | "activity" | "cutOff">,
): Condition {
  if (agent.activity === "waiting") return "waiting";
  if (agent.activity === "working") return "working";
  if (continuationOf(agent) === "offered") return "cut-off";
  return agent.state === "open" ? "idle" : "closed";
}

/** Puts those first that need the user, then those that are working; among equals the one that changed last. */
export function byUrgency(one: Agent, other: Agent): number {
  const order = Object.keys(conditions);
  const rank = (agent: Agent) => order.indexOf(conditionOf(agent));
  return (
    rank(one) - rank(other) || other.updatedAt.localeCompare(one.updatedAt)
  );
}

/** Agents in the same condition, under its heading. */
export interface AgentGroup {
  condition: Condition;
  heading: string;
  agents: Agent[];
}

/** Sorts agents into groups by what they do; empty groups are left out. */
export function toGroups(agents: readonly Agent[]): AgentGroup[] {
  const sorted = agents.toSorted(byUrgency);
  return (Object.keys(conditions) as Condition[])
    .map((condition) => ({
      condition,
      heading: conditions[condition].heading,
      agents: sorted.filter((agent) => conditionOf(agent) === condition),
    }))
    .filter(({ agents: members }) => members.length > 0);
}
