import type { NewRecord } from "@gantry/plugin";
import type { PromptImage } from "@gantry/agent-kit";
import type { TaskRecord } from "../records/task-record.ts";

/** A message to queue. */
export interface NewTask {
  agentId: string;
  kind: TaskRecord["kind"];
  message: string;
  images?: readonly PromptImage[];
  source: string;
  runId?: string | null;
  sessionId?: string | null;
  startsAgent: boolean;
}

/** The sort key for a position in the queue. */
export const toOrder = (order: number) => String(order).padStart(16, "0");

/** The record of a message to queue, without its pictures. */
export function toTask(
  { runId = null, sessionId = null, ...input }: Omit<NewTask, "images">,
  id: string,
  order: string,
): NewRecord<TaskRecord> {
  return {
    id,
    ...input,
    runId,
    sessionId,
    images: [],
    status: "queued",
    reason: null,
    via: null,
    turnId: null,
    deliveredAt: null,
    order,
  };
}
