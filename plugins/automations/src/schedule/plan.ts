import { offsetOf } from "./offset.ts";
import { ruleKey, toRule } from "./rule.ts";
import type { Rule, ScheduleTimes } from "./rule.ts";
import type { Slots } from "./slots.ts";

/** A schedule as planning sees it. */
export interface PlannedSchedule extends ScheduleTimes {
  id: string;
  enabled: boolean;
}

/** What is known of a schedule's past, and its next slot. Times are RFC 3339. */
export interface ScheduleMarks {
  armedAt: string;
  lastSlotAt: string | null;
  lastFiredAt: string | null;
  nextSlotAt: string | null;
  offsetMs: number;
}

/** The schedules of an automation at one moment. */
export interface SchedulePlan {
  /** Whether the automation is switched on. */
  enabled: boolean;
  schedules: readonly PlannedSchedule[];
  marks: Readonly<Record<string, ScheduleMarks>>;
}

/** A mark so far ahead was made while the clock was wrong. A smaller step back is waited out, so that no slot is doubled. */
const WRONG_CLOCK_MS = 24 * 60 * 60 * 1000;

const iso = (instant: number | undefined) =>
  instant === undefined ? null : new Date(instant).toISOString();

/**
 * The marks of schedules after a change. A schedule is armed again, and waits for its next slot, if it is new, if its times were
 * changed, or if it or its automation was switched on. Otherwise it keeps its past.
 *
 * @param before How it was; left out for a new automation.
 */
export function planSchedules(
  slots: Slots,
  next: Omit<SchedulePlan, "marks">,
  before: SchedulePlan,
  now: number,
): Record<string, ScheduleMarks> {
  const marks: Record<string, ScheduleMarks> = {};
  for (const schedule of next.schedules) {
    const rule = toRule(schedule);
    const old = before.schedules.find(({ id }) => id === schedule.id);
    const past = old && before.marks[schedule.id];
    const isOn = next.enabled && schedule.enabled;
    const wasOn = before.enabled && old?.enabled === true;
    const sameTimes = old && ruleKey(toRule(old)) === ruleKey(rule);
    const kept = past && sameTimes && !isAhead(past, now) ? past : undefined;
    const armed = {
      armedAt:
        kept && !(isOn && !wasOn) ? kept.armedAt : new Date(now).toISOString(),
      lastSlotAt: kept?.lastSlotAt ?? null,
      lastFiredAt: past?.lastFiredAt ?? null,
      offsetMs: offsetOf(schedule.id, rule),
    };
    marks[schedule.id] = {
      ...armed,
      nextSlotAt: isOn ? iso(slots.next(rule, lastMark(armed))) : null,
    };
  }
  return marks;
}

/** Marks of schedules, with the slots that were claimed on this machine and that they do not know of, as after a restore. */
export function withClaimed<Marks extends ScheduleMarks>(
  marks: Readonly<Record<string, Marks>>,
  claimed: ReadonlyMap<string, { at: string; slotAt: string }>,
  now: number,
): Readonly<Record<string, Marks>> {
  let known = marks;
  for (const [id, { at, slotAt }] of claimed) {
    const own = known[id];
    if (!own || own.lastSlotAt === slotAt) continue;
    const next = { ...own, lastSlotAt: slotAt, lastFiredAt: at };
    const isNewer = Date.parse(slotAt) > lastMark(own);
    if (isNewer && !isAhead(next, now)) known = { ...known, [id]: next };
  }
  return known;
}

/** A slot that is due: which one a run stands for, and which one comes after it. */
export interface DueSlot {
  slotAt: string;
  nextSlotAt: string | null;
}

/**
 * The slot of a schedule that is due, `undefined` if none is. Of several that were missed it is the last one: they are
 * caught up with one run.
 */
export function dueSlot(
  slots: Slots,
  schedule: ScheduleTimes,
  marks: ScheduleMarks,
  now: number,
): DueSlot | undefined {
  if (marks.nextSlotAt === null) return undefined;
  const first = Date.parse(marks.nextSlotAt);
  const latest = now - marks.offsetMs;
  if (first > latest) return undefined;
  const rule = toRule(schedule);
  let slot = first;
  let next = slots.next(rule, slot);
  if (next !== undefined && next <= latest) {
    // Many may have passed, so the last one is looked for from its end.
    slot = Math.max(first, slots.last(rule, latest) ?? first);
    next = slots.next(rule, slot);
  }
  return { slotAt: new Date(slot).toISOString(), nextSlotAt: iso(next) };
}

/** The times at which a schedule really fires after a moment: slots and offset. */
export function upcoming(
  slots: Slots,
  rule: Rule,
  after: number,
  count: number,
): number[] {
  const found: number[] = [];
  for (let at = slots.next(rule, after); at !== undefined;) {
    if (found.push(at) === count) break;
    at = slots.next(rule, at);
  }
  return found;
}

/** Slots after this moment are still to come or to be made up for. */
function lastMark(marks: {
  armedAt: string;
  lastSlotAt: string | null;
}): number {
  return Math.max(
    Date.parse(marks.armedAt),
    marks.lastSlotAt === null ? 0 : Date.parse(marks.lastSlotAt),
  );
}

/** Whether marks stand so far ahead of the clock that it must have been wrong when they were made. */
function isAhead(marks: ScheduleMarks, now: number): boolean {
  return lastMark(marks) > now + WRONG_CLOCK_MS;
}

/**
 * Whether a schedule has to be planned again before it can continue: its marks are lost, were made by a clock that was wrong, or
 * say that it stands still although nothing keeps it from firing. In a zone that is not known here it stands still until it is.
 */
export function isUnsound(
  slots: Slots,
  schedule: PlannedSchedule,
  marks: ScheduleMarks | undefined,
  { enabled, now }: { enabled: boolean; now: number },
): boolean {
  const isOn = enabled && schedule.enabled;
  if (isOn && !slots.knows(schedule.timeZone)) return false;
  if (!marks || isAhead(marks, now)) return true;
  return marks.nextSlotAt === null && isOn;
}
