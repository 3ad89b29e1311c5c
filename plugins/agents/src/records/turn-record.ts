import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { usageSchema } from "../transcript/entry.ts";

/** A turn that has ended, and its usage. It is kept after its agent is deleted, so that its cost stays counted. */
export const turnSchema = z.object({
  ...storedFields,
  agentId: z.string(),
  agentName: z.string(),
  cli: z.string(),
  model: z.string().nullable(),
  automationId: z.string().nullable(),
  runId: z.string().nullable(),
  taskId: z.string().nullable(),
  /** The session of the CLI that the turn belongs to; `null` if unknown. */
  sessionId: z.string().nullable().default(null),
  startedAt: timestamp,
  finishedAt: timestamp,
  /** The UTC day on which it ended, as `YYYY-MM-DD`. */
  day: z.string(),
  stopReason: z.enum(["end", "cancelled", "refused", "error"]),
  error: z.string().nullable(),
  usage: usageSchema,
});

export type TurnRecord = z.infer<typeof turnSchema>;

export const turnCollection: CollectionDefinition<TurnRecord> = {
  name: "turn",
  version: 1,
  schema: turnSchema,
  indexes: {
    day: (turn) => [turn.day],
    run: (turn) => (turn.runId === null ? undefined : [turn.runId]),
  },
};
