import type { Agent } from "../wire.ts";
import { byUrgency, conditionOf } from "./agentCondition.ts";

/** Number of agents to show if that many exist, open or closed. */
const MIN_AGENTS = 5;

/**
 * Chooses the agents listed in the sidebar: all open ones, then recently closed ones up to `MIN_AGENTS`, so that the agent of
 * a finished automation run can still be found. Up to `MIN_AGENTS` closed ones that were cut off are always listed.
 */
export function toNavigation(
  open: readonly Agent[],
  recent: readonly Agent[],
): Agent[] {
  // The two lists come from separate requests, so an agent may be in both.
  const known = new Set(open.map(({ id }) => id));
  const closed = recent
    .filter(({ id, state }) => state === "closed" && !known.has(id))
    .toSorted(byUrgency);
  const cutOff = closed.filter((agent) => conditionOf(agent) === "cut-off");
  const room = Math.max(
    MIN_AGENTS - open.length,
    Math.min(MIN_AGENTS, cutOff.length),
  );
  return [...open, ...closed.slice(0, room)];
}
