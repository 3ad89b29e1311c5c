import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

export const taskStatus = z.enum([
  "queued",
  "delivering",
  "delivered",
  "failed",
  "cancelled",
]);

/** How a message reached a CLI: over its protocol, through a receiver in its screen, or pasted into its terminal. */
export const deliveryWay = z.enum(["protocol", "receiver", "paste"]);

export const taskKind = z.enum(["prompt", "steer", "follow_up"]);

const fields = {
  ...storedFields,
  agentId: z.string(),
  kind: taskKind,
  /** Where it comes from: `composer`, `tasks`, `inbox`, … */
  source: z.string(),
  status: taskStatus,
  /** Why it failed or was cancelled, as a text for the user. */
  reason: z.string().nullable(),
  deliveredAt: timestamp.nullable(),
  /** How it was delivered; `null` until then. A `paste` is not confirmed by the CLI. */
  via: deliveryWay.nullable().default(null),
};

/** A message to an agent. After its turn only the beginning of the text is kept, since the transcript holds all of it. */
export const taskSchema = z.object({
  ...fields,
  /** Sort key in the queue; larger comes later. */
  order: z.string(),
  message: z.string(),
  /** File names of pictures, under the plugin's folder. */
  images: z.array(z.object({ mimeType: z.string(), file: z.string() })),
  /** The run of an automation that it belongs to. */
  runId: z.string().nullable(),
  /** The session of the CLI that receives it; `null` for the current one. */
  sessionId: z.string().nullable().default(null),
  /** The turn in which it was sent. */
  turnId: z.string().nullable(),
  /** Whether a closed agent is started for it. */
  startsAgent: z.boolean(),
});

export type TaskRecord = z.infer<typeof taskSchema>;

export const taskCollection: CollectionDefinition<TaskRecord> = {
  name: "task",
  version: 1,
  schema: taskSchema,
  indexes: {
    agent: (task) => [task.agentId, task.order],
    delivering: (task) => (task.status === "delivering" ? [] : undefined),
    pending: (task) =>
      task.status === "queued" || task.status === "delivering"
        ? [task.agentId, task.order]
        : undefined,
    steer: (task) =>
      task.status === "queued" && task.kind === "steer"
        ? [task.agentId, task.order]
        : undefined,
  },
};

/** A task as clients see it. */
export const taskView = z.object({
  ...fields,
  payload: z.object({ message: z.string(), images: z.number() }),
});

/** Converts a record to the view for clients. */
export function toTaskView(record: TaskRecord): z.infer<typeof taskView> {
  const { message, images } = record;
  return taskView.parse({
    ...record,
    payload: { message, images: images.length },
  });
}
