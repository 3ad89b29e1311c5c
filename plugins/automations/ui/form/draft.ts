import { createKey, readTimeZone } from "@gantry/ui-kit";
import type {
  Automation,
  Drafted,
  Frequency,
  Limits,
  Permissions,
  Schedule,
  ScheduleTimes,
  Template,
} from "../wire.ts";

/** A schedule as the form holds it: every field has a value, whatever the frequency uses. */
export interface ScheduleDraft {
  /** Tells the rows of the form apart. */
  key: string;
  id: string | undefined;
  frequency: Frequency;
  time: string;
  weekday: number;
  minute: string;
  cron: string;
  label: string;
  enabled: boolean;
  timeZone: string;
}

/** An automation as the form holds it. Empty texts stand for what was not set. */
export interface Draft {
  name: string;
  prompt: string;
  enabled: boolean;
  mode: "start" | "message";
  targetAgentId: string;
  workspace: string;
  cli: string;
  model: string;
  schedules: ScheduleDraft[];
  webhook: boolean;
  maxCostUsd: string;
  maxRunsPerHour: string;
  maxRunsPerDay: string;
  maxRunsPerWeek: string;
  timeoutMinutes: string;
  notifyUrl: string;
  permissionMode: Permissions["mode"];
  tools: string[];
}

/** Longest name that the daemon takes. */
const MAX_NAME_LENGTH = 100;
const MINUTE_MS = 60_000;

export function newSchedule(): ScheduleDraft {
  return {
    key: createKey(),
    id: undefined,
    frequency: "weekdays",
    time: "09:00",
    weekday: 1,
    minute: "0",
    cron: "0 9 * * 1-5",
    label: "",
    enabled: true,
    timeZone: readTimeZone(),
  };
}

export function newDraft(): Draft {
  return {
    name: "",
    prompt: "",
    enabled: true,
    mode: "start",
    targetAgentId: "",
    workspace: "",
    cli: "",
    model: "",
    schedules: [newSchedule()],
    webhook: false,
    maxCostUsd: "",
    maxRunsPerHour: "",
    maxRunsPerDay: "",
    maxRunsPerWeek: "",
    timeoutMinutes: "120",
    notifyUrl: "",
    permissionMode: "reject",
    tools: [],
  };
}

export function toDraft(automation: Automation): Draft {
  const { limits, permissions } = automation;
  return {
    name: automation.name,
    prompt: automation.prompt,
    enabled: automation.enabled,
    mode: automation.mode,
    targetAgentId: automation.targetAgentId ?? "",
    workspace: automation.workspace ?? "",
    cli: automation.cli ?? "",
    model: automation.model ?? "",
    schedules: automation.schedules.map(toScheduleDraft),
    webhook: automation.webhook,
    ...toLimitsDraft(limits),
    timeoutMinutes: String(automation.timeoutMs / MINUTE_MS),
    notifyUrl: automation.notifyUrl ?? "",
    permissionMode: permissions.mode,
    tools: [...permissions.tools],
  };
}

/** A draft of another automation like one that is there. It is off, or both would fire at once. */
export function toCopy(automation: Automation): Draft {
  const draft = toDraft(automation);
  const ending = " (copy)";
  return {
    ...draft,
    name: `${draft.name.slice(0, MAX_NAME_LENGTH - ending.length)}${ending}`,
    enabled: false,
    schedules: draft.schedules.map((schedule) => ({
      ...schedule,
      key: createKey(),
      id: undefined,
    })),
  };
}

/** A draft with the job of a template; where it works, and how its runs are reported, stay as they are. */
export function withTemplate(
  draft: Draft,
  { name, prompt, schedules, limits, permissions }: Template,
): Draft {
  return {
    ...draft,
    name,
    prompt,
    schedules: schedules.map((times) => ({
      ...newSchedule(),
      ...toTimesDraft(times),
    })),
    ...toLimitsDraft(limits),
    permissionMode: permissions.mode,
    tools: [...permissions.tools],
  };
}

/** A draft with what an agent made of a description. What it does not say stays as it is, and nothing is switched on. */
export function withDescribed(draft: Draft, described: Drafted): Draft {
  const { name, prompt, workspace, schedules, webhook, notifyUrl } = described;
  return {
    ...draft,
    name,
    prompt,
    workspace: workspace ?? draft.workspace,
    schedules: schedules.map(({ timeZone, label, ...times }) => ({
      ...newSchedule(),
      ...toTimesDraft(times),
      timeZone,
      label: label ?? "",
    })),
    // One that is there keeps its secret.
    webhook: webhook || draft.webhook,
    notifyUrl: notifyUrl ?? draft.notifyUrl,
  };
}

function toLimitsDraft(limits: Limits) {
  const text = (value: number | null) => (value === null ? "" : String(value));
  return {
    maxCostUsd: text(limits.maxCostUsd),
    maxRunsPerHour: text(limits.maxRunsPerHour),
    maxRunsPerDay: text(limits.maxRunsPerDay),
    maxRunsPerWeek: text(limits.maxRunsPerWeek),
  };
}

function toScheduleDraft(schedule: Schedule): ScheduleDraft {
  return {
    key: schedule.id,
    id: schedule.id,
    ...toTimesDraft(schedule),
    label: schedule.label ?? "",
    enabled: schedule.enabled,
    timeZone: schedule.timeZone,
  };
}

function toTimesDraft(times: Omit<ScheduleTimes, "timeZone">) {
  const fresh = newSchedule();
  return {
    frequency: times.frequency,
    time: times.time ?? fresh.time,
    weekday: times.weekday ?? fresh.weekday,
    minute: String(times.minute ?? fresh.minute),
    cron: times.cron ?? fresh.cron,
  };
}

/** A schedule as the daemon takes it: only the fields of its frequency. */
export function toScheduleBody(draft: ScheduleDraft): object {
  const { id, frequency, enabled, timeZone, time, weekday } = draft;
  const shared = {
    ...(id === undefined ? {} : { id }),
    frequency,
    enabled,
    timeZone: timeZone.trim(),
    label: draft.label.trim() || null,
  };
  switch (frequency) {
    case "hourly":
      return { ...shared, minute: toNumber(draft.minute) };
    case "daily":
    case "weekdays":
      return { ...shared, time };
    case "weekly":
      return { ...shared, time, weekday };
    case "custom":
      return { ...shared, cron: draft.cron };
  }
}

/** The whole automation as the daemon takes it. */
export function toBody(draft: Draft): Record<string, unknown> {
  return {
    name: draft.name.trim(),
    prompt: draft.prompt,
    enabled: draft.enabled,
    mode: draft.mode,
    targetAgentId: draft.targetAgentId || null,
    workspace: draft.workspace || null,
    cli: draft.cli || null,
    model: draft.model.trim() || null,
    schedules: draft.schedules.map(toScheduleBody),
    webhook: draft.webhook,
    limits: {
      maxCostUsd: toNumber(draft.maxCostUsd),
      maxRunsPerHour: toNumber(draft.maxRunsPerHour),
      maxRunsPerDay: toNumber(draft.maxRunsPerDay),
      maxRunsPerWeek: toNumber(draft.maxRunsPerWeek),
    },
    permissions: {
      mode: draft.permissionMode,
      tools: draft.permissionMode === "reject" ? [] : draft.tools,
    },
    notifyUrl: draft.notifyUrl.trim() || null,
    timeoutMs: Math.round((toNumber(draft.timeoutMinutes) ?? 0) * MINUTE_MS),
  };
}

/** The part of a body that differs from another one. */
export function difference(
  next: Record<string, unknown>,
  before: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(next).filter(
      ([field, value]) =>
        JSON.stringify(value) !== JSON.stringify(before[field]),
    ),
  );
}

/** A typed number; `null` for nothing. What is no number stays as it is, for the daemon to refuse. */
function toNumber(text: string): number | null {
  const trimmed = text.trim().replace(",", ".");
  return trimmed === "" ? null : Number(trimmed);
}
