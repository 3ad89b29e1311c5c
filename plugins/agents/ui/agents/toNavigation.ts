import type { Agent } from "../wire.ts";
import { byUrgency, conditionOf } from "./agentCondition.ts";

/** Agents that are shown if there are that many, open or not. */
const MIN_AGENTS = 5;

/**
 * The agents under the navigation: all that are open, and those that were closed last while there is room, so that the
 * run of an automation can still be found there when it is over. There is room for those that are cut off in any case.
 */
export function toNavigation(
  open: readonly Agent[],
  recent: readonly Agent[],
): Agent[] {
  // The two lists are read one after the other, so that an agent may be in both.
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
