import type { Agent } from "../wire.ts";

/** Whether the user is asked to continue a turn that was cut off, or did so and its message is yet to be sent. */
export type Continuation = "offered" | "under-way";

/** State of the turn of an agent that was cut off; `undefined` if there is none. */
export function continuationOf({
  cutOff,
  state,
}: Pick<Agent, "cutOff" | "state">): Continuation | undefined {
  if (!cutOff) return undefined;
  // The turn's own prompt, where it waits in the queue, is sent as soon as the agent is open.
  const isToBeSent = cutOff.queuedTaskId !== null && state === "open";
  return cutOff.continuedBy !== null || isToBeSent ? "under-way" : "offered";
}
