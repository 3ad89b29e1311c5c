import { storedFields, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { TURN_PROBLEM_KINDS } from "@gantry/plugin-agents/contract";
import type { RunReason, RunTrigger } from "../contract.ts";

/** Longest message that is kept of a run, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1024;

const trigger = z.enum([
  "schedule",
  "catch-up",
  "webhook",
  "manual",
] satisfies RunTrigger[]);

export const runReason = z.enum([
  "busy",
  "rate-cap",
  "agent-in-terminal",
  "cost-cap",
  "cli-missing",
  "daemon-restarted",
  "timeout",
  "permission-needed",
  "agent-error",
  "target-gone",
  "trust-required",
  "cancelled",
] satisfies RunReason[]);

/** One gate of the why-record: what was looked at, what came of it, and the figures. */
export const gateView = z.object({
  gate: z.enum([
    "enabled",
    "busy",
    "rate-cap",
    "spend-limit",
    "target",
    "cli-missing",
    "start",
    "outcome",
  ]),
  verdict: z.enum(["passed", "refused"]),
  detail: z.string(),
  figures: z.record(
    z.string(),
    z.union([z.number(), z.string(), z.boolean(), z.null()]),
  ),
});

export type GateView = z.infer<typeof gateView>;

const summary = {
  /** Counts the runs of one automation, from 1. */
  number: z.number().int().positive(),
  scheduleId: z.string().nullable(),
  scheduleLabel: z.string().nullable(),
  trigger,
  slotAt: timestamp.nullable(),
  firedAt: timestamp,
  /** `null` if nothing was started, or while it waits for a free place. */
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  result: z.enum(["running", "done", "skipped", "failed"]),
  reason: runReason.nullable(),
  agentId: z.string().nullable(),
  costUsd: z.number().nullable(),
  decision: z.array(gateView),
};

/** A run, without what the agent said. */
export const runSummary = z.object({ id: z.string(), ...summary });

export type RunSummary = z.infer<typeof runSummary>;

/** How many runs that were fired on a day, by UTC, ended in which way. */
export const runDay = z.object({
  day: z.string(),
  done: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
});

export type RunDay = z.infer<typeof runDay>;

/** Why the agent failed, where the user can do something about it. */
const runProblem = z.object({
  kind: z.enum(TURN_PROBLEM_KINDS),
  /** When a limit is over; `null` if it is not known. */
  resetsAt: timestamp.nullable(),
});

/** A run, as it is stored and as clients see it. */
export const runView = z.object({
  ...storedFields,
  automationId: z.string(),
  ...summary,
  sessionId: z.string().nullable(),
  message: z.string(),
  problem: runProblem.nullable().default(null),
});

export type RunRecord = z.infer<typeof runView>;

/** The part of a run that is kept with its automation, so that a list of automations reads no runs. */
export function toSummary(run: RunRecord): RunSummary {
  return runSummary.parse(run);
}
