import { isIdentifier } from "@gantry/plugin";
import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { runDay, runSummary } from "./run.ts";
import { scheduleView, schedulesInput } from "./schedule.ts";

/** Most runs that a cap can count. */
export const MAX_CAP = 10_000;
const MAX_COST_USD = 10_000;
const HOUR_MS = 60 * 60 * 1000;
export const DEFAULT_TIMEOUT_MS = 2 * HOUR_MS;

const ABSOLUTE = /^(\/|[A-Za-z]:[\\/])/;
const ONE_LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u;
const oneLine = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(ONE_LINE, "must be one line of text");

/** Something can be seen of it: not all of it is spaces, joiners and marks of direction. */
const VISIBLE =
  /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}]/u;
const title = (most: number) =>
  oneLine(most).regex(VISIBLE, "must have something to be seen");

const cap = z.number().int().min(1).max(MAX_CAP).nullable();

export const limitsView = z.object({
  /** A run that spends more is stopped and fails. */
  maxCostUsd: z.number().positive().max(MAX_COST_USD).nullable(),
  maxRunsPerHour: cap,
  maxRunsPerDay: cap,
  maxRunsPerWeek: cap,
});

export type Limits = z.infer<typeof limitsView>;

export const limitsInput = z.strictObject(limitsView.partial().shape);

export const permissionsView = z.object({
  mode: z.enum(["reject", "allow-once", "report-only"]),
  /** Tools that all but `reject` says yes to. */
  tools: z.array(oneLine(100)).max(50),
});

export type Permissions = z.infer<typeof permissionsView>;

/** A notification that did not arrive. */
export const notifyFailure = z.object({
  runId: z.string(),
  at: timestamp,
  error: z.string(),
});

/** An automation as clients see it. */
export const automationView = z.object({
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
  schedules: z.array(scheduleView),
  webhook: z.boolean(),
  webhookSecretCreatedAt: timestamp.nullable(),
  /**
   * When the secret was revoked on this machine, before a restore brought it back: no call passes until a new one is made.
   * `null` if it is good.
   */
  webhookSecretRevokedAt: timestamp.nullable(),
  limits: limitsView,
  permissions: permissionsView,
  notifyUrl: z.string().nullable(),
  /** Why the last notification did not arrive; `null` if it did. */
  notifyFailure: notifyFailure.nullable(),
  timeoutMs: z.number().int(),
  /** The next time that any schedule fires. */
  nextRunAt: timestamp.nullable(),
  /** The run that is active, or waits for a free slot. */
  activeRunId: z.string().nullable(),
  lastRun: runSummary.nullable(),
  /** How the runs of the last 30 days ended; days without one are left out. */
  days: z.array(runDay),
});

export type AutomationView = z.infer<typeof automationView>;

/** An address to notify. That it may be called is checked apart. */
export const notifyUrl = z
  .string()
  .max(2048)
  .refine((text) => {
    // A name in other letters may look like another one; its form in ASCII does not.
    if (!/^https?:\/\/[\x21-\x7e]+$/i.test(text) || !URL.canParse(text))
      return false;
    const { hostname, username, password } = new URL(text);
    return hostname !== "" && username === "" && password === "";
  }, "must be an http or https address in ASCII, without a user name");

const fields = {
  name: title(100),
  enabled: z.boolean(),
  mode: z.enum(["start", "message"]),
  workspace: z
    .string()
    .max(4096)
    .refine(
      (path) => ABSOLUTE.test(path) && ONE_LINE.test(path),
      "must be an absolute path of a folder",
    )
    .nullable(),
  targetAgentId: z
    .string()
    .refine(
      (id) => isIdentifier("agt", id),
      "must be the id of an agent; list them with GET /api/agents",
    )
    .nullable(),
  cli: oneLine(40).nullable(),
  model: oneLine(200).nullable(),
  prompt: z
    .string()
    .max(100_000)
    .refine((text) => text.trim() !== "", "must say what is to be done"),
  schedules: schedulesInput,
  webhook: z.boolean(),
  limits: limitsInput,
  permissions: z.strictObject({
    mode: permissionsView.shape.mode,
    tools: permissionsView.shape.tools.optional(),
  }),
  notifyUrl: notifyUrl.nullable(),
  timeoutMs: z
    .number()
    .int()
    .min(1_000)
    .max(24 * HOUR_MS),
};

const { name, prompt, ...others } = fields;

/** What creates an automation. */
export const createInput = z.strictObject({
  name,
  prompt,
  ...z.object(others).partial().shape,
});

/** What a drafted automation may set; the rest is left to the user who saves it. */
export const draftedInput = z.strictObject({
  name,
  prompt,
  workspace: fields.workspace,
  schedules: fields.schedules,
  webhook: fields.webhook,
  notifyUrl: fields.notifyUrl,
});

/** What changes an automation: `limits`, `permissions` and `schedules` are replaced whole. */
export const patchInput = z.strictObject(z.object(fields).partial().shape);

export type AutomationInput = z.infer<typeof patchInput>;
export type CreateInput = z.infer<typeof createInput>;

/** The answer of an operation that may have made a secret, which is shown this once. */
export const savedAnswer = z.object({
  automation: automationView,
  webhookSecret: z.string().optional(),
});
