import { Cron } from "croner";
import type { Rule } from "./rule.ts";
import { createZones } from "./zones.ts";
import type { ClockChange, LocalTime } from "./zones.ts";

/** The times at which rules fire. A rule in a zone that this machine does not know has none. */
export interface Slots {
  /** Whether this machine knows a zone. */
  knows(timeZone: string): boolean;
  /** The first slot after an instant, `undefined` if it never fires again. */
  next(rule: Rule, after: number): number | undefined;
  /** The last slot at or before an instant. */
  last(rule: Rule, at: number): number | undefined;
}

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Compiled lines that are kept. */
const MAX_LINES = 1_000;

/**
 * Makes the calculator of slots. Croner answers for a plain calendar in UTC, and how that calendar lies on the time
 * line of a zone is decided here:
 * - a local time that clocks skip fires once, at the end of the gap;
 * - a local time that clocks repeat fires once, the first time;
 * - a rule that fires in every hour keeps its spacing instead: nothing is made up for an hour that never was, and it
 *   fires in both passes of an hour that comes twice. Where its minutes do not fit the shift (half an hour on Lord
 *   Howe), no spacing can be kept, and the first two sentences hold.
 */
export function createSlots(): Slots {
  const zones = createZones();
  const lines = new Map<string, Cron>();

  function calendar({ line }: Rule): Cron {
    let cron = lines.get(line.text);
    if (!cron) {
      if (lines.size >= MAX_LINES) lines.clear();
      cron = new Cron(line.text, {
        // The same as the zone UTC, without the cost of asking for its offset.
        utcOffset: 0,
        mode: "5-part",
        paused: true,
      });
      lines.set(line.text, cron);
    }
    return cron;
  }

  /** Local times of a rule, from one on. */
  function* localsFrom(rule: Rule, from: number): Generator<number> {
    const cron = calendar(rule);
    // Croner gives what lies strictly after.
    let last = new Date(from - 1);
    for (;;) {
      const next = cron.nextRun(last);
      if (!next) return;
      yield next.getTime();
      last = next;
    }
  }

  /** Local times of a rule before one, going back. */
  function* localsBefore(rule: Rule, before: number): Generator<number> {
    const cron = calendar(rule);
    let first = new Date(before);
    for (;;) {
      const [previous] = cron.previousRuns(1, first);
      if (!previous) return;
      yield previous.getTime();
      first = previous;
    }
  }

  const place = (rule: Rule, local: number): readonly number[] =>
    slotsOf(rule, zones.toInstants(rule.timeZone, local));

  /** The change back of the clocks whose second pass lies at or after `from`, within a day. */
  function changeBack(
    { timeZone }: Rule,
    from: number,
    until: number,
  ): ClockChange | undefined {
    const change = zones.changeBetween(timeZone, from, until);
    return change && change.shift < 0 ? change : undefined;
  }

  return {
    knows: zones.knows,

    next(rule, after) {
      if (!zones.knows(rule.timeZone)) return undefined;
      const local = zones.toLocal(rule.timeZone, after);
      let found: number | undefined;
      for (const candidate of localsFrom(rule, local + 1)) {
        found = place(rule, candidate).find((slot) => slot > after);
        if (found !== undefined) break;
      }
      // Shortly before clocks go back, local times that have been are still to come again.
      const change = changeBack(rule, after, after + DAY_MS);
      if (!change || !keepsSpacing(rule, change)) return found;
      const start = zones.toLocal(rule.timeZone, change.at);
      for (const candidate of localsFrom(rule, start)) {
        if (candidate > local) break;
        const again = candidate - start + change.at;
        return found === undefined ? again : Math.min(found, again);
      }
      return found;
    },

    last(rule, at) {
      if (!zones.knows(rule.timeZone)) return undefined;
      const local = zones.toLocal(rule.timeZone, at);
      let found: number | undefined;
      for (const candidate of localsBefore(rule, local + 1)) {
        found = place(rule, candidate).findLast((slot) => slot <= at);
        if (found !== undefined) break;
      }
      // In a second pass, later local times have been in the first.
      const change = changeBack(rule, at - DAY_MS, at);
      if (!change) return found;
      const end = zones.toLocal(rule.timeZone, change.at) - change.shift;
      for (const candidate of localsBefore(rule, end)) {
        if (candidate <= local) break;
        const [first] = place(rule, candidate);
        if (first === undefined || first > at) continue;
        return found === undefined ? first : Math.max(found, first);
      }
      return found;
    },
  };
}

/** Where a local time of a rule fires. */
function slotsOf(
  rule: Rule,
  { instants, change }: LocalTime,
): readonly number[] {
  if (!change) return instants;
  if (keepsSpacing(rule, change)) return instants;
  return change.shift > 0 ? [change.at] : instants.slice(0, 1);
}

/** Whether a rule can keep its interval through a change of the clocks. */
function keepsSpacing(rule: Rule, { shift }: ClockChange): boolean {
  if (!rule.everyHour) return false;
  if (shift % HOUR_MS === 0) return true;
  const { minutes } = rule.line;
  const moved = (((shift / MINUTE_MS) % 60) + 60) % 60;
  return minutes.every((minute) => minutes.includes((minute + moved) % 60));
}
