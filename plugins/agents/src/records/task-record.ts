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

/** How a message came to a CLI: over its protocol, to a receiver in its screen, or pasted into its terminal. */
export const deliveryWay = z.enum(["protocol", "receiver", "paste"]);

export const taskKind = z.enum(["prompt", "steer", "follow_up"]);

const fields = {
  ...storedFields,
  agentId: z.string(),
  kind: taskKind,
  /** Who gave it: `composer`, `tasks`, `inbox`, … */
  source: z.string(),
  status: taskStatus,
  /** Why it failed or was cancelled, in words for the user. */
  reason: z.string().nullable(),
  deliveredAt: timestamp.nullable(),
  /** How it was delivered; of what was pasted nothing proves that it was taken. `null` until then. */
  via: deliveryWay.nullable().default(null),
};

/** A message on its way to an agent. After its delivery only the beginning of the text stays: the transcript has it. */
export const taskSchema = z.object({
  ...fields,
  /** Place in the queue: larger comes later. */
  order: z.string(),
  message: z.string(),
  /** File names of pictures, under the plugin's folder. */
  images: z.array(z.object({ mimeType: z.string(), file: z.string() })),
  /** The run of an automation that it belongs to. */
  runId: z.string().nullable(),
  /** The session of the CLI that it goes to; `null` for the one that is open. */
  sessionId: z.string().nullable().default(null),
  /** The turn it was handed over in. */
  turnId: z.string().nullable(),
  /** A closed agent is started for it. */
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

/** What clients see of a record: the fields of the view and no others. */
export function toTaskView(record: TaskRecord): z.infer<typeof taskView> {
  const { message, images } = record;
  return taskView.parse({
    ...record,
    payload: { message, images: images.length },
  });
}
