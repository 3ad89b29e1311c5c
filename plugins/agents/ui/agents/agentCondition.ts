import type { Tone } from "@gantry/ui-kit";
import type { Agent } from "../wire.ts";
import { continuationOf } from "./continuationOf.ts";

/** State of an agent as pages show it. `cut-off`: the daemon stopped during the last turn, and the user can continue it. */
export type Condition = "waiting" | "cut-off" | "working" | "idle" | "closed";

/** Label and tone of each condition, the most urgent first. */
export const conditions: Readonly<
  Record<Condition, { label: string; tone: Tone }>
> = {
  waiting: { label: "Needs input", tone: "attention" },
  "cut-off": { label: "Cut off", tone: "attention" },
  working: { label: "Working", tone: "active" },
  idle: { label: "Idle", tone: "success" },
  closed: { label: "Closed", tone: "neutral" },
};

/** Returns the condition of an agent. */
export function conditionOf(
  agent: Pick<Agent, "state" | "activity" | "cutOff">,
): Condition {
  if (agent.activity === "waiting") return "waiting";
  if (agent.activity === "working") return "working";
  if (continuationOf(agent) === "offered") return "cut-off";
  return agent.state === "open" ? "idle" : "closed";
}

/** Compares agents for sorting: by condition, the most urgent first, then by their last change, the newest first. */
export function byUrgency(one: Agent, other: Agent): number {
  const order = Object.keys(conditions);
  const rank = (agent: Agent) => order.indexOf(conditionOf(agent));
  return (
    rank(one) - rank(other) || other.updatedAt.localeCompare(one.updatedAt)
  );
}

/** Agents in the same condition. */
export interface AgentGroup {
  condition: Condition;
  label: string;
  agents: Agent[];
}

/** Groups agents by condition, the most urgent group first; empty groups are left out. */
export function toGroups(agents: readonly Agent[]): AgentGroup[] {
  const sorted = agents.toSorted(byUrgency);
  return (Object.keys(conditions) as Condition[])
    .map((condition) => ({
      condition,
      label: conditions[condition].label,
      agents: sorted.filter((agent) => conditionOf(agent) === condition),
    }))
    .filter(({ agents: members }) => members.length > 0);
}
