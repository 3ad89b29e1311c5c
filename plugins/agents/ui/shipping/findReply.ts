import type { Entry } from "../wire.ts";

/** What is known of an agent's turns. */
export interface TurnsKnown {
  /** Turns that are known to have ended. */
  ended: ReadonlySet<string>;
  /** The agent is in no turn, as far as the page was told. */
  isIdle: boolean;
}

/**
 * Finds the reply to the message of a task: the last text of its turn, once that has ended; empty if the agent wrote none.
 *
 * @param newestFirst A page of the conversation.
 * @returns `undefined` as long as the turn has not ended.
 */
export function findReply(
  newestFirst: readonly Entry[],
  taskId: string,
  { ended, isIdle }: TurnsKnown,
): string | undefined {
  const entries = newestFirst.toReversed();
  const at = entries.findLastIndex(({ message }) => message?.taskId === taskId);
  const asked = entries[at];
  // The message is still in the queue.
  if (!asked) return undefined;
  const after = entries.slice(at + 1);
  const next = after.findIndex(
    ({ turnId }) => turnId !== null && turnId !== asked.turnId,
  );
  const turn = next < 0 ? after : after.slice(0, next);
  const reply = turn.findLast(
    ({ role, kind }) => role === "assistant" && kind === "text",
  );
  const hasEnded =
    next >= 0 || (asked.turnId !== null && ended.has(asked.turnId));
  // The page may not know yet that the turn has begun.
  return hasEnded || (isIdle && reply) ? (reply?.text ?? "") : undefined;
}
