import type { Agent } from "../wire.ts";
import { conditionOf } from "./agentCondition.ts";

/** So many agents are shown if there are so many, open or not. */
const least = 5;

/**
 * The agents under the navigation: all that are open, and those that were closed last while there is room, so that the
 * run of an automation can still be found there when it is over.
 */
export function toNavigation(
  open: readonly Agent[],
  recent: readonly Agent[],
): Agent[] {
  // The two lists are read one after the other, so that an agent may be in both.
  const known = new Set(open.map(({ id }) => id));
  const closed = recent
    .filter((agent) => conditionOf(agent) === "closed" && !known.has(agent.id))
    .toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt));
  return [...open, ...closed.slice(0, Math.max(0, least - open.length))];
}
