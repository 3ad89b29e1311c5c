import { defineEvent, defineService } from "@gantry/plugin";
import type { TurnProblem } from "@gantry/plugin-agents/contract";

/** What set a run off. `catch-up` makes up for a time at which the daemon was down or asleep. */
export type RunTrigger = "schedule" | "catch-up" | "webhook" | "manual";

/** How a run ended. */
export type RunResult = "done" | "skipped" | "failed";

/** Why a run was skipped or failed. */
export type RunReason =
  | "busy"
  | "rate-cap"
  | "agent-in-terminal"
  | "cost-cap"
  | "cli-missing"
  | "daemon-restarted"
  | "timeout"
  | "permission-needed"
  | "agent-error"
  | "target-gone"
  | "trust-required"
  | "cancelled";

/** A run that has begun. */
export interface StartedRun {
  automationId: string;
  automationName: string;
  runId: string;
  trigger: RunTrigger;
  /** The schedule that set it off, in the user's words or ours; `null` for a webhook or a run by hand. */
  scheduleLabel: string | null;
  agentId: string;
}

/** A run that has ended, with all that is needed to tell the user of it. */
export interface FinishedRun extends Omit<StartedRun, "agentId"> {
  result: RunResult;
  /** `null` for a run that is done. */
  reason: RunReason | null;
  /** `null` if the CLI reports none, or if nothing was started. */
  costUsd: number | null;
  /** The agent's final message, or what is known of the failure; at most 64 KiB. */
  message: string;
  /** `null` if there was no agent. */
  agentId: string | null;
  /** The session of the agent's CLI that the run had; `null` if there was none. */
  sessionId: string | null;
  /** Why the agent failed, where the user can do something about it. An event of an earlier version has none. */
  problem?: TurnProblem | null;
}

export const AutomationCreated = defineEvent<{ name: string }>(
  "automations.automation-created",
  "An automation was created.",
);
export const AutomationChanged = defineEvent<{
  name: string;
  fields: string[];
}>(
  "automations.automation-changed",
  "Fields of an automation were changed, by the user or because its agent was created again.",
);
export const AutomationDeleted = defineEvent<{
  name: string;
  agentId: string | null;
}>("automations.automation-deleted", "An automation was deleted.");
export const RunStarted = defineEvent<StartedRun>(
  "automations.run-started",
  "A run of an automation began. The subject is the automation.",
);
export const RunFinished = defineEvent<FinishedRun>(
  "automations.run-finished",
  "A run of an automation ended, or was skipped. The subject is the automation.",
);

export const DraftChanged = defineEvent<{
  state: "working" | "done" | "failed" | "cancelled";
  /** Whether the agent is at its second try, or was. */
  isSecondTry: boolean;
}>(
  "automations.draft-changed",
  "An agent began to draft an automation, was told what was wrong with its draft, or came to an end. The subject is the draft.",
);

export const SpendingChanged = defineEvent<{
  maxDailyUsd: number | null;
  maxWeeklyUsd: number | null;
}>(
  "automations.spending-changed",
  "What all automations together may spend was changed. The subject is always `spending`.",
);

/** A notification that did not arrive, after its second try. */
export interface FailedNotification {
  automationId: string;
  automationName: string;
  runId: string;
  /** Host and port; the whole address is a secret of the user. */
  target: string;
  /** How often it was tried. */
  tries: number;
  /** `OUTBOUND_REFUSED`, `refused`, `redirect`, `timeout`, `interrupted`, or the code of the fault. */
  code: string;
  /** What went wrong, in a sentence. */
  error: string;
}

export const NotifyFailed = defineEvent<FailedNotification>(
  "automation.notify",
  "A notification of a run could not be delivered, after one retry. The subject is the automation.",
);

/** When an automation that is made of a template runs, in the time zone of its creator. */
export interface TemplateSchedule {
  frequency: "hourly" | "daily" | "weekdays" | "weekly" | "custom";
  /** `HH:MM`; for daily, weekdays and weekly. */
  time?: string;
  /** 0 to 6 from Sunday; for weekly. */
  weekday?: number;
  /** Of the hour; for hourly. */
  minute?: number;
  /** Five fields; for custom. */
  cron?: string;
}

/** A ready-made job that any agent can do on a local repository. It only reports. */
export interface AutomationTemplate {
  /** Kebab-case, at most 60 characters; begin it with the plugin's id. */
  id: string;
  name: string;
  /** One or two words by which templates are filtered, such as `Quality`. */
  category: string;
  /** One sentence: what one gets. */
  summary: string;
  /** What the agent does. That it only reports, and changes nothing, is added to it. */
  prompt: string;
  /**
   * It has to run what the repository holds, such as its tests. Without this, an automation made of it may only use
   * commands and tools that read.
   */
  runsPrograms?: boolean;
  schedules: readonly TemplateSchedule[];
  /** `null` is no limit. */
  limits: {
    maxCostUsd: number | null;
    maxRunsPerHour: number | null;
    maxRunsPerDay: number | null;
    maxRunsPerWeek: number | null;
  };
}

/** Takes templates of other plugins. */
export interface AutomationTemplates {
  /**
   * Offers a template when an automation is made. It is taken away when `signal` aborts: hand over the plugin's own.
   *
   * Rejects with `AUTOMATION_TEMPLATE_INVALID` (400), and with `AUTOMATION_TEMPLATE_TAKEN` (409) if the id is taken.
   */
  add(template: AutomationTemplate, signal: AbortSignal): Promise<void>;
}

export const AutomationTemplates = defineService<AutomationTemplates>(
  "automations.templates@1",
);

/** A run that has not ended. */
export interface ActiveRun {
  runId: string;
  automationId: string;
  automationName: string;
  /** RFC 3339 UTC; `null` while it waits for a slot. */
  startedAt: string | null;
}

/** What automations are at, for plugins that must not disturb them. */
export interface AutomationActivity {
  /** Runs that are running or queued. */
  activeRuns(
    input: Readonly<Record<never, never>>,
    signal: AbortSignal,
  ): Promise<{ items: ActiveRun[] }>;
}

export const AutomationActivity = defineService<AutomationActivity>(
  "automations.activity@1",
);
