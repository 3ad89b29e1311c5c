import { timestamp, timeZone } from "@gantry/plugin/zod";
import * as z from "zod";
import { parseCronLine } from "../schedule/cron-line.ts";
import { ruleKey, toRule } from "../schedule/rule.ts";
import type { Rule, ScheduleTimes } from "../schedule/rule.ts";

/** Most schedules that one automation has. */
export const MAX_SCHEDULES = 20;
const MAX_LABEL_LENGTH = 60;

const frequency = z.enum(["hourly", "daily", "weekdays", "weekly", "custom"]);

const times = {
  frequency,
  time: z.string().nullable(),
  weekday: z.number().int().nullable(),
  minute: z.number().int().nullable(),
  cron: z.string().nullable(),
  timeZone: z.string(),
};

/** The part of a schedule that the user sets. */
export const storedSchedule = z.object({
  id: z.string(),
  ...times,
  label: z.string().nullable(),
  enabled: z.boolean(),
});

export type StoredSchedule = z.infer<typeof storedSchedule>;

const computed = {
  /** How long after its slot the schedule fires; fixed for as long as its times are. */
  offsetMs: z.number().int().nonnegative(),
  /** The next slot plus the offset; `null` while it is off. */
  nextRunAt: timestamp.nullable(),
  lastFiredAt: timestamp.nullable(),
  /** Slots before this moment are not made up for. */
  armedAt: timestamp,
};

/** A schedule as clients see it. */
export const scheduleView = storedSchedule.extend(computed);

export type ScheduleView = z.infer<typeof scheduleView>;

/** Which field goes with which frequency. */
const NEEDED: Record<
  z.infer<typeof frequency>,
  readonly ("time" | "weekday" | "minute" | "cron")[]
> = {
  hourly: ["minute"],
  daily: ["time"],
  weekdays: ["time"],
  weekly: ["time", "weekday"],
  custom: ["cron"],
};

const LABEL = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u;

/** A schedule as it is sent. One that exists may come as it was read: what the daemon computes is passed over. */
export const scheduleInput = z
  .strictObject({
    id: z.string().max(64).optional(),
    frequency,
    time: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as 09:30")
      .nullish(),
    weekday: z.number().int().min(0).max(6).nullish(),
    minute: z.number().int().min(0).max(59).nullish(),
    cron: z.string().nullish(),
    label: z
      .string()
      .trim()
      .max(MAX_LABEL_LENGTH)
      .regex(LABEL, "must be one line of text")
      .nullish(),
    enabled: z.boolean().optional(),
    timeZone,
    offsetMs: z.number().optional(),
    nextRunAt: z.string().nullish(),
    lastFiredAt: z.string().nullish(),
    armedAt: z.string().optional(),
  })
  .superRefine((schedule, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    const needed: readonly string[] = NEEDED[schedule.frequency];
    for (const field of ["time", "weekday", "minute", "cron"] as const) {
      const given = schedule[field] !== undefined && schedule[field] !== null;
      if (needed.includes(field) && !given)
        refuse(field, `a ${schedule.frequency} schedule needs it`);
      if (!needed.includes(field) && given)
        refuse(
          field,
          `a ${schedule.frequency} schedule has none; leave it out`,
        );
    }
    if (schedule.frequency === "custom" && typeof schedule.cron === "string") {
      const line = parseCronLine(schedule.cron);
      if ("problem" in line) refuse("cron", line.problem);
    }
    if (schedule.id !== undefined) return;
    for (const field of Object.keys(computed)) {
      if (field in schedule)
        refuse(field, "is computed and cannot be set; leave it out");
    }
  });

export type ScheduleInput = z.infer<typeof scheduleInput>;

/** All schedules of an automation as they are sent: at most twenty, no two of them for the same times. */
export const schedulesInput = z
  .array(scheduleInput)
  .max(MAX_SCHEDULES)
  .superRefine((schedules, context) => {
    const ids = new Map<string, number>();
    for (const [index, { id }] of schedules.entries()) {
      if (id === undefined) continue;
      if (ids.has(id))
        context.addIssue({
          code: "custom",
          path: [index, "id"],
          message: `schedule ${ids.get(id)! + 1} has this id already`,
        });
      else ids.set(id, index);
    }
    for (const [index, twin] of findTwins(schedules)) {
      context.addIssue({
        code: "custom",
        path: [index],
        message: `fires at the same times as schedule ${twin + 1}`,
      });
    }
  });

/** Pairs of a schedule and an earlier one that fires at the same times. */
export function findTwins(
  schedules: readonly ScheduleInput[],
): [index: number, twin: number][] {
  const first = new Map<string, number>();
  const twins: [number, number][] = [];
  for (const [index, schedule] of schedules.entries()) {
    const rule = tryRule(toTimes(schedule));
    if (!rule) continue;
    const key = ruleKey(rule);
    const twin = first.get(key);
    if (twin === undefined) first.set(key, index);
    else twins.push([index, twin]);
  }
  return twins;
}

/** The times of a schedule that was checked. */
export function toTimes(input: ScheduleInput): ScheduleTimes {
  return {
    frequency: input.frequency,
    time: input.time ?? null,
    weekday: input.weekday ?? null,
    minute: input.minute ?? null,
    cron: input.cron?.trim().replace(/ +/g, " ") ?? null,
    timeZone: input.timeZone,
  };
}

/** The check of a whole list also sees schedules in which something else was found wrong. */
function tryRule(times: ScheduleTimes): Rule | undefined {
  try {
    return toRule(times);
  } catch {
    return undefined;
  }
}
