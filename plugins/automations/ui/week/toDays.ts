import { runInWords } from "../runs/runWords.ts";
import type { Tone } from "@gantry/ui-kit";
import type { Week } from "../wire.ts";

/** Something in a day: a run that was, or one that is planned. */
export interface Entry {
  key: string;
  at: number;
  automationId: string;
  name: string;
  /** Its result; "Planned" for what is to come. */
  state: { label: string; tone: Tone };
  isPlanned: boolean;
  detail: string;
}

/** A day of the week on the reader's clocks. */
export interface Day {
  key: string;
  date: Date;
  isToday: boolean;
  entries: Entry[];
  /** Entries that are not shown one by one. */
  more: number;
  /** Rules that fire so often that only their number is told. */
  often: { key: string; automationId: string; name: string; perDay: number }[];
}

const MAX_ENTRIES = 30;
const PLANNED = { label: "Planned", tone: "neutral" } as const;

/** The beginning of the week of a moment, on the reader's clocks. */
export function mondayOf(moment: number): Date {
  const date = new Date(moment);
  date.setHours(0, 0, 0, 0);
  return shiftDays(date, -((date.getDay() + 6) % 7));
}

/** Some days later, at the same time on the clocks, also where they change in between. */
export function shiftDays(date: Date, days: number): Date {
  const moved = new Date(date);
  moved.setDate(moved.getDate() + days);
  return moved;
}

export function toDays(week: Week, monday: Date, now: number): Day[] {
  const names = new Map(week.automations.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? "A deleted automation";
  const past = week.runs.map((run): Entry => ({
    key: run.id,
    at: Date.parse(run.firedAt),
    automationId: run.automationId,
    name: nameOf(run.automationId),
    state: runInWords({ ...run, startedAt: "" }),
    isPlanned: false,
    detail: run.label ?? (run.trigger === "webhook" ? "Webhook" : "By hand"),
  }));
  const planned = week.planned.flatMap((one) =>
    one.times.map((time): Entry => ({
      key: `${one.scheduleId}-${time}`,
      at: Date.parse(time),
      automationId: one.automationId,
      name: nameOf(one.automationId),
      state: PLANNED,
      isPlanned: true,
      detail: one.label,
    })),
  );
  const all = [...past, ...planned].sort((one, other) => one.at - other.at);
  return Array.from({ length: 7 }, (_, index) => {
    const date = shiftDays(monday, index);
    const end = shiftDays(monday, index + 1).getTime();
    const own = all.filter(({ at }) => at >= date.getTime() && at < end);
    const often = week.planned.flatMap((one) => {
      const perDay = one.often[index] ?? 0;
      if (perDay === 0) return [];
      const { scheduleId: key, automationId } = one;
      return [{ key, automationId, name: nameOf(automationId), perDay }];
    });
    return {
      key: date.toISOString(),
      date,
      isToday: now >= date.getTime() && now < end,
      entries: own.slice(0, MAX_ENTRIES),
      more: Math.max(0, own.length - MAX_ENTRIES),
      often,
    };
  });
}
