import type { Sending } from "../conversation/rows.ts";
import type { Entry, Task } from "../wire.ts";

/** Returns whether a sent message is in the conversation or the queue, or was cancelled or failed. */
export function hasArrived(
  sending: Sending,
  entries: readonly Entry[],
  tasks: readonly Task[],
): boolean {
  const task = tasks.find(({ id }) => id === sending.taskId);
  if (task && task.status !== "delivered") return true;
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (!entry || entry.id === sending.after) return false;
    if (entry.role !== "user") continue;
    // The entry may arrive before the response with the task id.
    const same =
      sending.taskId === undefined
        ? entry.text === sending.text
        : entry.message?.taskId === sending.taskId;
    if (same) return true;
  }
  return false;
}
