import type { Sending } from "../conversation/rows.ts";
import type { Entry, Task } from "../wire.ts";

/** Tells whether a message is shown elsewhere: in the conversation, or among those that wait, or was given up. */
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
    // Its entry may come before the answer that names the task.
    const same =
      sending.taskId === undefined
        ? entry.text === sending.text
        : entry.message?.taskId === sending.taskId;
    if (same) return true;
  }
  return false;
}
