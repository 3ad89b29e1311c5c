import { timestamp, timeZone } from "@gantry/plugin/zod";
import * as z from "zod";
import { draftedInput } from "./automation.ts";

/** Longest description that an agent is given. */
export const MAX_DESCRIPTION_LENGTH = 10_000;

/** What has an automation drafted. */
export const describeInput = z.strictObject({
  /** What the user wants, in their own words. */
  description: z
    .string()
    .max(MAX_DESCRIPTION_LENGTH)
    .refine((text) => text.trim() !== "", "must say what is wanted"),
  /** Name of the CLI whose agent drafts it; the usual one if `null`. */
  cli: z.string().min(1).max(40).nullish(),
  model: z.string().min(1).max(200).nullish(),
  /** Zone of the user, in which times of the description are meant. */
  timeZone,
});

export type DescribeInput = z.infer<typeof describeInput>;

/** A field that the agent named and that is not in the draft. */
export const droppedField = z.object({
  path: z.string(),
  /** What it was to be, shortened. */
  value: z.string(),
  why: z.string(),
});

export type DroppedField = z.infer<typeof droppedField>;

const issue = z.object({ path: z.string(), message: z.string() });

/** Why there is no draft. */
export const draftProblem = z.object({
  /** `answer`: what the agent said is no automation. The others are those of runs. */
  reason: z.enum([
    "answer",
    "cost-cap",
    "cli-missing",
    "timeout",
    "permission-needed",
    "agent-in-terminal",
    "agent-error",
    "target-gone",
    "trust-required",
    "cancelled",
  ]),
  message: z.string(),
  /** What is wrong with the agent's last answer. */
  errors: z.array(issue),
});

export type DraftProblem = z.infer<typeof draftProblem>;

/** What an agent drafted, as `POST /api/automations` takes it. */
export const draftedView = z.object({
  ...draftedInput.shape,
  schedules: z.array(
    z.object({
      frequency: z.enum(["hourly", "daily", "weekdays", "weekly", "custom"]),
      time: z.string().nullable(),
      weekday: z.number().int().nullable(),
      minute: z.number().int().nullable(),
      cron: z.string().nullable(),
      timeZone: z.string(),
      label: z.string().nullable(),
    }),
  ),
});

export type Drafted = z.infer<typeof draftedView>;

/** The drafting of an automation as clients see it. */
export const draftView = z.object({
  id: z.string(),
  description: z.string(),
  cli: z.string().nullable(),
  model: z.string().nullable(),
  timeZone: z.string(),
  state: z.enum(["working", "done", "failed", "cancelled"]),
  /** The first draft did not hold, and the agent was told why. */
  isSecondTry: z.boolean(),
  createdAt: timestamp,
  finishedAt: timestamp.nullable(),
  /** It is given up after this time. */
  timeoutMs: z.number().int(),
  /** What it has cost; `null` as long as that is unknown. */
  costUsd: z.number().nullable(),
  /** `null` unless it is done. */
  automation: draftedView.nullable(),
  /** What the agent named and a draft does not set. */
  dropped: z.array(droppedField),
  problem: draftProblem.nullable(),
  /** The agent's last answer as it was given; at most 64 KiB. */
  answer: z.string().nullable(),
});

export type DraftView = z.infer<typeof draftView>;
