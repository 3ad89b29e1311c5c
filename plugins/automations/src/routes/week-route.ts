import { defineRoute } from "@gantry/plugin";
import type { Clock, RouteDefinition } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { worstCaseOf } from "../money/worst-case.ts";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { Records } from "../records/records.ts";
import { toRule } from "../schedule/rule.ts";
import type { Slots } from "../schedule/slots.ts";
import { describeTimes } from "../schedule/words.ts";
import { runView } from "../wire/run.ts";
import type { RunRecord } from "../wire/run.ts";

/** Dependencies of the route. */
export interface WeekRouteHost {
  records: Records;
  slots: Slots;
  clock: Clock;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEK_MS = 7 * DAY_MS;
/** Rules with more slots in a week are reported by their number only. */
const MAX_TIMES = 60;
const MAX_RUNS = 1_000;
const MAX_AUTOMATIONS = 200;
const PAGE = 100;
/** A run is written soon after it was fired, and listed by when it was written. */
const WRITTEN_MS = 10 * 60 * 1000;
/** The week of a later day would end in a year of five digits. */
const LAST_DAY = "9999-12-24";

const { id, automationId, firedAt, result, reason, trigger } = runView.shape;

const plannedView = z.object({
  automationId,
  scheduleId: z.string(),
  label: z.string(),
  /** When it fires in the part of the week that is to come; empty for a rule that fires very often. */
  times: z.array(timestamp),
  /** For a rule that fires very often: about how often it does in each of the seven days. */
  often: z.array(z.number().int()).length(7),
});

const answer = z.object({
  from: timestamp,
  until: timestamp,
  automations: z.array(z.object({ id: z.string(), name: z.string() })),
  runs: z.array(
    z.object({
      id,
      automationId,
      firedAt,
      result,
      reason,
      trigger,
      label: z.string().nullable(),
    }),
  ),
  planned: z.array(plannedView),
  /** There is more than is listed. */
  truncated: z.boolean(),
});

/** A week as clients see it. */
export type WeekView = z.infer<typeof answer>;

/** A week of all automations: what ran, and what will. */
export function weekRoute(host: WeekRouteHost): RouteDefinition {
  const { records, slots, clock } = host;

  async function readRuns(from: number, until: number) {
    const runs: RunRecord[] = [];
    let cursor: string | undefined;
    const before = [new Date(until + WRITTEN_MS).toISOString()];
    while (runs.length < MAX_RUNS) {
      const page = await records.runs.list({ limit: PAGE, cursor, before });
      const times = page.items.map((run) => Date.parse(run.firedAt));
      runs.push(
        ...page.items.filter(
          (_, at) => times[at]! >= from && times[at]! < until,
        ),
      );
      if (page.nextCursor === null || times.some((time) => time < from))
        return { runs, isWhole: true };
      cursor = page.nextCursor;
    }
    return { runs, isWhole: false };
  }

  async function readAutomations() {
    const found: AutomationRecord[] = [];
    let cursor: string | undefined;
    do {
      const page = await records.automations.list({ limit: PAGE, cursor });
      found.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && found.length < MAX_AUTOMATIONS);
    return { found, isWhole: cursor === undefined };
  }

  /** Names those of the automations that are still there; `found` are known already. */
  async function nameAll(
    ids: ReadonlySet<string>,
    found: readonly AutomationRecord[],
  ) {
    const known = new Map(found.map((one) => [one.id, one]));
    const named = [];
    for (const id of ids) {
      const { name } =
        known.get(id) ?? (await records.automations.get(id)) ?? {};
      if (name !== undefined) named.push({ id, name });
    }
    return named;
  }

  async function plan(automation: AutomationRecord, weekStart: number) {
    if (!automation.enabled) return [];
    const from = Math.max(weekStart, clock.now());
    const until = weekStart + WEEK_MS;
    const state = await records.states.get(automation.id);
    return automation.schedules.flatMap((schedule) => {
      const marks = state.schedules[schedule.id];
      if (!schedule.enabled || !marks?.nextSlotAt) return [];
      const { runsPerDay, runsPerWeek } = worstCaseOf({
        schedules: [schedule],
        limits: NO_LIMITS,
        webhook: false,
      });
      const rule = toRule(schedule);
      const isDense = (runsPerWeek ?? 0) > MAX_TIMES;
      const label = schedule.label || describeTimes(schedule);
      const { offsetMs, nextSlotAt } = marks;
      const often = Array.from({ length: 7 }, (_, day) => {
        const start = Math.max(from, weekStart + day * DAY_MS);
        const end = weekStart + (day + 1) * DAY_MS;
        const first = isDense
          ? slots.next(rule, start - offsetMs - 1)
          : undefined;
        return first !== undefined && first + offsetMs < end
          ? (runsPerDay ?? 0)
          : 0;
      });
      const times: string[] = [];
      // The week may be far away, and slots are not to be counted up to it.
      const after = Math.max(from - offsetMs, Date.parse(nextSlotAt)) - 1;
      let slot = isDense ? undefined : slots.next(rule, after);
      while (slot !== undefined && slot + offsetMs < until) {
        times.push(new Date(slot + offsetMs).toISOString());
        slot = slots.next(rule, slot);
      }
      if (times.length === 0 && often.every((count) => count === 0)) return [];
      return [
        {
          automationId: automation.id,
          scheduleId: schedule.id,
          label,
          times,
          often,
        },
      ];
    });
  }

  return defineRoute({
    method: "GET",
    path: "/api/automations/week",
    summary: "A week of all automations",
    description:
      "What ran from a moment on, and what will run until seven days after it. Of very many runs the newest are listed, and of very many automations some.",
    access: "session",
    query: z.strictObject({
      from: timestamp.refine((text) => text < LAST_DAY, "is too far away"),
    }),
    returns: answer,
    async handle({ query }) {
      const from = Date.parse(query.from);
      const until = from + WEEK_MS;
      const now = clock.now();
      const past = await readRuns(from, until);
      const { found, isWhole } = await readAutomations();
      const planned = [];
      for (const automation of until > now ? found : [])
        planned.push(...(await plan(automation, from)));
      const named = new Set([
        ...past.runs.map((run) => run.automationId),
        ...planned.map((one) => one.automationId),
      ]);
      return {
        from: query.from,
        until: new Date(until).toISOString(),
        automations: await nameAll(named, found),
        runs: past.runs.map((run) => ({
          id: run.id,
          automationId: run.automationId,
          firedAt: run.firedAt,
          result: run.result,
          reason: run.reason,
          trigger: run.trigger,
          label: run.scheduleLabel,
        })),
        planned,
        truncated: !isWhole || !past.isWhole,
      };
    },
  });
}

const NO_LIMITS = {
  maxCostUsd: null,
  maxRunsPerHour: null,
  maxRunsPerDay: null,
  maxRunsPerWeek: null,
};
