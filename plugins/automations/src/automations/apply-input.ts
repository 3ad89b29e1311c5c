import { createIdentifier } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AutomationRecord } from "../records/automation-record.ts";
import { DEFAULT_TIMEOUT_MS } from "../wire/automation.ts";
import type { AutomationInput, Limits } from "../wire/automation.ts";
import { toTimes } from "../wire/schedule.ts";
import type { ScheduleInput, StoredSchedule } from "../wire/schedule.ts";

/** The part of an automation that comes from the user. */
export type Settings = Omit<
  AutomationRecord,
  | "id"
  | "createdAt"
  | "updatedAt"
  | "revision"
  | "agentId"
  | "secretHash"
  | "secretCreatedAt"
>;

const NO_LIMITS: Limits = {
  maxCostUsd: null,
  maxRunsPerHour: null,
  maxRunsPerDay: null,
  maxRunsPerWeek: null,
};

/** An automation of which nothing was said. */
export const defaultSettings: Settings = {
  name: "",
  enabled: true,
  mode: "start",
  workspace: null,
  targetAgentId: null,
  cli: null,
  model: null,
  prompt: "",
  schedules: [],
  limits: NO_LIMITS,
  permissions: { mode: "reject", tools: [] },
  notifyUrl: null,
  timeoutMs: DEFAULT_TIMEOUT_MS,
};

/**
 * Settings with what was sent in place of what was. `limits`, `permissions` and `schedules` are replaced whole.
 *
 * @throws `SCHEDULE_UNKNOWN` for the id of a schedule that the automation does not have
 */
export function applyInput(
  current: Settings,
  { webhook: _, ...input }: AutomationInput,
): Settings {
  const { schedules, limits, permissions, ...plain } = input;
  return {
    ...current,
    ...plain,
    ...(limits && { limits: { ...NO_LIMITS, ...limits } }),
    ...(permissions && { permissions: { tools: [], ...permissions } }),
    ...(schedules && {
      schedules: toStoredSchedules(schedules, current.schedules),
    }),
  };
}

function toStoredSchedules(
  inputs: readonly ScheduleInput[],
  current: readonly StoredSchedule[],
): StoredSchedule[] {
  return inputs.map((input, index) => {
    const { id } = input;
    if (id !== undefined && !current.some((schedule) => schedule.id === id)) {
      const path = `schedules.${index}.id`;
      throw errors.SCHEDULE_UNKNOWN(
        { id: id.replace(/[^\w-]/g, "?") },
        { errors: [{ path, message: "the automation has no such schedule" }] },
      );
    }
    return {
      ...toTimes(input),
      id: id ?? createIdentifier("sch"),
      label: input.label || null,
      enabled: input.enabled ?? true,
    };
  });
}
