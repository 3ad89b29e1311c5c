// Types only: what the server sends can then not be something else here.
import type { AutomationView } from "../src/wire/automation.ts";
export type { CallView as Call } from "../src/wire/call.ts";
export type { Limits, Permissions } from "../src/wire/automation.ts";
export type { GateView as Gate, RunRecord as Run } from "../src/wire/run.ts";
export type { RunDay, RunSummary } from "../src/wire/run.ts";
export type { SpendingView, SpendWindow } from "../src/wire/spending.ts";
export type { WorstCase } from "../src/wire/spending.ts";
export type { Drafted, DraftView } from "../src/wire/draft.ts";
export type { WeekView as Week } from "../src/routes/week-route.ts";
export type { RunResults } from "../src/routes/result-route.ts";
export type { TemplateView as Template } from "../src/templates/template.ts";
export type { ScheduleView as Schedule } from "../src/wire/schedule.ts";
export type { Frequency, ScheduleTimes } from "../src/schedule/rule.ts";

export type Automation = AutomationView;

/** The answer of what saves an automation. */
export interface Saved {
  automation: Automation;
  webhookSecret?: string;
}

/** How a schedule would fire, as `POST /api/automations/preview` reads it. */
export interface Reading {
  next: string[];
  offsetMs: number | null;
  largestOffsetMs: number | null;
  errors: { path: string; message: string }[];
}

/** The part of an agent CLI's description that matters here. */
export interface Cli {
  name: string;
  title: string;
  installed: boolean;
  reason: string | null;
  isDefault: boolean;
  /** Ours, without a model. */
  isPractice: boolean;
  capabilities: {
    model: boolean;
    /** It asks before it changes something, so that a run can be kept to reading. */
    asksFirst: boolean;
    cost: "usd" | "tokens" | "none";
  };
}

/** A folder that agents were made in before. */
export interface Workspace {
  id: string;
  name: string;
  path: string;
}

/** The part of an agent's description that matters here. */
export interface Agent {
  id: string;
  name: string;
  cli: string;
  cwd: string;
  automationId: string | null;
}
