import { createDueQueue } from "./due-queue.ts";
import { toRule } from "./rule.ts";
import type { ScheduleTimes } from "./rule.ts";
import type { Slots } from "./slots.ts";
import { createWakefulness } from "./wakefulness.ts";
import type { Moment } from "./wakefulness.ts";

/** A schedule with its next slot. */
export interface Appointment {
  automationId: string;
  scheduleId: string;
  times: ScheduleTimes;
  /** How long after its slots it fires. */
  offsetMs: number;
  nextSlotAt: number;
}

/** A schedule that is to fire now. */
export interface Firing {
  automationId: string;
  scheduleId: string;
  trigger: "schedule" | "catch-up";
}

/** What is to be done at a moment. */
export interface Decision {
  /** In this order: what is on time first, then at most one that was missed. */
  firings: Firing[];
  /** When to look again at the latest; `undefined` if nothing is planned. */
  waitMs: number | undefined;
  /** The clock was corrected: all marks are to be checked again. */
  corrected: boolean;
}

/** Decides when schedules fire. It reads no clock and does nothing: moments and plans come in, decisions go out. */
export interface Scheduler {
  /** Replaces what is planned for an automation. A schedule that fired is planned again by this. */
  plan(automationId: string, appointments: readonly Appointment[]): void;
  /** What was fired as `catch-up` is over: its run has ended, or there was none. */
  madeUp(): void;
  /**
   * Whether something that was due at a time is only made up for now. Between the decision to fire and the claim of the
   * slot the machine may have slept, and the slot may be another one.
   */
  isMissed(moment: Moment, dueAt: number): boolean;
  decide(moment: Moment): Decision;
}

/** The wall clock is compared this often at least, since it may be set and the machine may sleep. */
const MAX_WAIT_MS = 30_000;
/**
 * After a sleep or a jump nothing fires before the machine was awake for so long without another: it has no network yet,
 * and one that wakes for a moment would freeze what was begun.
 */
const STABLE_MS = 5_000;
/** Between two schedules that are made up for, and before the first after a start. */
const CATCH_UP_GAP_MS = 5_000;
/** Catch-up runs that have not ended, if there are places enough. */
export const MAX_CATCH_UPS = 5;

/** Schedules that are put off at one look. After a long sleep there may be thousands, and requests must not wait for them. */
const MAX_PUT_OFF = 500;

interface Entry extends Appointment {
  stage: "planned" | "missed" | "done";
  /** When it is due: for a missed one, at its next slot that is not missed. */
  dueAt: number;
}

/** @param maxCatchUps Catch-up runs that may be active at once. */
export function createScheduler(
  slots: Slots,
  start: Moment,
  maxCatchUps = MAX_CATCH_UPS,
): Scheduler {
  const entries = new Map<string, Entry[]>();
  const due = createDueQueue<Entry>(
    (entry, at) => entry.stage !== "done" && entry.dueAt === at,
  );
  const missed = createDueQueue<Entry>(
    (entry, at) => entry.stage === "missed" && entry.nextSlotAt === at,
  );
  const wakefulness = createWakefulness(start);
  let expectedAt: number | undefined;
  let isCorrected = false;
  let stableAt = start.monotonic;
  let nextCatchUpAt = start.monotonic + CATCH_UP_GAP_MS;
  let catchUps = 0;

  function look(moment: Moment): void {
    const finding = wakefulness.look(moment, expectedAt);
    if (finding === "steady") return;
    stableAt = moment.monotonic + STABLE_MS;
    nextCatchUpAt = stableAt;
    if (finding === "corrected") isCorrected = true;
  }

  const fire = (entry: Entry, trigger: Firing["trigger"]): Firing => {
    entry.stage = "done";
    const { automationId, scheduleId } = entry;
    return { automationId, scheduleId, trigger };
  };

  /** Puts off what was missed. It still fires on time at its next slot, should its turn not come before. */
  function putOff(entry: Entry): void {
    entry.stage = "missed";
    missed.add(entry.nextSlotAt, entry);
    const slot = slots.next(
      toRule(entry.times),
      wakefulness.awakeSince - entry.offsetMs - 1,
    );
    entry.dueAt = slot === undefined ? Infinity : slot + entry.offsetMs;
    if (slot !== undefined) due.add(entry.dueAt, entry);
  }

  function takeDue(wall: number): Firing[] {
    const firings: Firing[] = [];
    let putOffs = 0;
    for (let next = due.first(); next && next.at <= wall; next = due.first()) {
      if (putOffs === MAX_PUT_OFF) break;
      const entry = due.take()!;
      if (entry.dueAt >= wakefulness.awakeSince)
        firings.push(fire(entry, "schedule"));
      else {
        putOff(entry);
        putOffs++;
      }
    }
    return firings;
  }

  function takeMissed(monotonic: number): Firing[] {
    if (monotonic < nextCatchUpAt || catchUps >= maxCatchUps) return [];
    const entry = missed.take();
    if (!entry) return [];
    catchUps++;
    nextCatchUpAt = monotonic + CATCH_UP_GAP_MS;
    return [fire(entry, "catch-up")];
  }

  function waitFrom({ wall, monotonic }: Moment): number | undefined {
    const nextDue = due.first();
    const waits: number[] = [];
    if (nextDue)
      waits.push(
        MAX_WAIT_MS,
        Math.max(nextDue.at - wall, stableAt - monotonic),
      );
    if (missed.first())
      waits.push(
        MAX_WAIT_MS,
        catchUps < maxCatchUps ? nextCatchUpAt - monotonic : MAX_WAIT_MS,
      );
    return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
  }

  return {
    plan(automationId, appointments) {
      for (const entry of entries.get(automationId) ?? []) entry.stage = "done";
      if (appointments.length === 0) return void entries.delete(automationId);
      const planned = appointments.map((appointment): Entry => ({
        ...appointment,
        stage: "planned",
        dueAt: appointment.nextSlotAt + appointment.offsetMs,
      }));
      entries.set(automationId, planned);
      for (const entry of planned) due.add(entry.dueAt, entry);
    },

    madeUp() {
      catchUps = Math.max(0, catchUps - 1);
    },

    isMissed(moment, dueAt) {
      look(moment);
      return dueAt < wakefulness.awakeSince;
    },

    decide(moment) {
      look(moment);
      const isStable = moment.monotonic >= stableAt;
      const firings = isStable
        ? [...takeDue(moment.wall), ...takeMissed(moment.monotonic)]
        : [];
      const waitMs = waitFrom(moment);
      expectedAt = waitMs === undefined ? undefined : moment.monotonic + waitMs;
      const corrected = isCorrected;
      isCorrected = false;
      return { firings, waitMs, corrected };
    },
  };
}
