import { defineRoute } from "@gantry/plugin";
import type { Clock, RouteDefinition } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { worstCaseOf } from "../money/worst-case.ts";
import { limitsInput } from "../wire/automation.ts";
import { worstCase } from "../wire/spending.ts";
import { offsetOf, largestOffset } from "../schedule/offset.ts";
import { upcoming } from "../schedule/plan.ts";
import { toRule } from "../schedule/rule.ts";
import type { Slots } from "../schedule/slots.ts";
import {
  findTwins,
  MAX_SCHEDULES,
  scheduleInput,
  toTimes,
} from "../wire/schedule.ts";
import type { ScheduleInput } from "../wire/schedule.ts";

const SHOWN = 5;
const NO_LIMITS = {
  maxCostUsd: null,
  maxRunsPerHour: null,
  maxRunsPerDay: null,
  maxRunsPerWeek: null,
};

const reading = z.object({
  /** The next five times at which it fires: slots, and the offset if the schedule has one yet. */
  next: z.array(timestamp),
  /** How long after its slots it fires; `null` for a schedule that has no id yet. */
  offsetMs: z.number().int().nullable(),
  /** The offset will be below this. */
  largestOffsetMs: z.number().int().nullable(),
  /** What is wrong with it; then nothing else is said. */
  errors: z.array(z.object({ path: z.string(), message: z.string() })),
});

/** Reads schedules before they are saved. */
export function previewRoute(slots: Slots, clock: Clock): RouteDefinition {
  return defineRoute({
    method: "POST",
    path: "/api/automations/preview",
    summary: "When schedules would fire",
    description:
      "For each schedule the next five times, or what is wrong with it, and how many runs and how much money rules and caps allow in a day and in a week at most. Nothing is stored.",
    access: "session",
    body: z.strictObject({
      schedules: z.array(z.looseObject({})).max(MAX_SCHEDULES),
      limits: limitsInput.optional(),
      webhook: z.boolean().optional(),
    }),
    returns: z.object({
      items: z.array(reading),
      /** What they allow at most, with these limits and this webhook; schedules that are wrong do not count. */
      worstCase,
    }),
    handle({ body }) {
      const checked = body.schedules.map((schedule) =>
        scheduleInput.safeParse(schedule),
      );
      const items = checked.map(({ data, error }) =>
        data ? read(data, slots, clock.now()) : refuse(toIssues(error)),
      );
      const sound = checked.flatMap(({ data }, index) =>
        data ? [{ data, index }] : [],
      );
      for (const [index, twin] of findTwins(sound.map(({ data }) => data))) {
        const first = sound[twin]!.index + 1;
        const message = `fires at the same times as schedule ${first}`;
        items[sound[index]!.index] = refuse([{ path: "", message }]);
      }
      const schedules = sound
        .filter(({ index }) => items[index]!.errors.length === 0)
        .map(({ data }) => ({
          ...toTimes(data),
          enabled: data.enabled ?? true,
        }));
      const limits = { ...NO_LIMITS, ...body.limits };
      const webhook = body.webhook ?? false;
      return { items, worstCase: worstCaseOf({ schedules, limits, webhook }) };
    },
  });
}

type Reading = z.infer<typeof reading>;

function read(input: ScheduleInput, slots: Slots, now: number): Reading {
  const rule = toRule(toTimes(input));
  const offsetMs = input.id === undefined ? null : offsetOf(input.id, rule);
  const times = upcoming(slots, rule, now - (offsetMs ?? 0), SHOWN);
  return {
    next: times.map((time) => new Date(time + (offsetMs ?? 0)).toISOString()),
    offsetMs,
    largestOffsetMs: largestOffset(rule),
    errors: [],
  };
}

const refuse = (errors: Reading["errors"]): Reading => ({
  next: [],
  offsetMs: null,
  largestOffsetMs: null,
  errors,
});

function toIssues(error: z.ZodError): Reading["errors"] {
  return error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((path) => ({ path, message: "unknown field" }))
      : [{ path: issue.path.join("."), message: issue.message }],
  );
}
