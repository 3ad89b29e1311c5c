import { defineEvent } from "@gantry/plugin";

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
  "Fields of an automation were changed, by the user or because its agent was made anew.",
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
