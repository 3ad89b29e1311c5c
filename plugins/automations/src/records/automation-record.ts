import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { limitsView, permissionsView } from "../wire/automation.ts";
import { storedSchedule } from "../wire/schedule.ts";

const automationSchema = z.object({
  ...storedFields,
  name: z.string(),
  enabled: z.boolean(),
  mode: z.enum(["start", "message"]),
  workspace: z.string().nullable(),
  targetAgentId: z.string().nullable(),
  agentId: z.string().nullable(),
  cli: z.string().nullable(),
  model: z.string().nullable(),
  prompt: z.string(),
  schedules: z.array(storedSchedule),
  limits: limitsView,
  permissions: permissionsView,
  notifyUrl: z.string().nullable(),
  timeoutMs: z.number().int(),
  /** SHA-256 of the webhook's secret in hex; `null` while the webhook is off. */
  secretHash: z.string().nullable(),
  secretCreatedAt: timestamp.nullable(),
});

/** What the user set of an automation. What its runs change is its state, so that a run moves no revision. */
export type AutomationRecord = z.infer<typeof automationSchema>;

export const automationCollection: CollectionDefinition<AutomationRecord> = {
  name: "automation",
  version: 1,
  schema: automationSchema,
};
