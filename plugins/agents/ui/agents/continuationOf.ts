import type { Agent } from "../wire.ts";

/** `offered`: the user can continue the turn that was cut off. `under-way`: they did, and its message is still to be sent. */
export type Continuation = "offered" | "under-way";

/** Returns the state of the turn that was cut off; `undefined` if there is none. */
export function continuationOf({
  cutOff,
  state,
}: Pick<Agent, "cutOff" | "state">): Continuation | undefined {
  if (!cutOff) return undefined;
  // The turn's own prompt, if it is queued, is sent as soon as the agent is open.
  const isToBeSent = cutOff.queuedTaskId !== null && state === "open";
  return cutOff.continuedBy !== null || isToBeSent ? "under-way" : "offered";
}
