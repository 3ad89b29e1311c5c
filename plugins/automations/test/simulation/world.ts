import { dueSlot, isUnsound, planSchedules } from "../../src/schedule/plan.ts";
import type {
  PlannedSchedule,
  ScheduleMarks,
} from "../../src/schedule/plan.ts";
import { createScheduler } from "../../src/schedule/scheduler.ts";
import type { Firing } from "../../src/schedule/scheduler.ts";
import type { Slots } from "../../src/schedule/slots.ts";
import type { Random } from "./random.ts";

/** A slot that was claimed, and what came of it. */
export interface Claim {
  slotAt: number;
  firedAt: number;
  trigger: Firing["trigger"];
  result: "run" | "busy";
  /** In which stretch of being awake, from 0. */
  stretch: number;
}

/** A time in which one schedule had the same times and was on. */
export interface Epoch {
  schedule: PlannedSchedule;
  armedAt: number;
  offsetMs: number;
  /** The latest slot that was claimed before it began. */
  lastSlotAt: number | undefined;
  claims: Claim[];
  /** Spans of wall time in which the daemon ran without a break, in the order in which they passed. */
  awake: { from: number; until: number }[];
}

export interface World {
  readonly epochs: readonly Epoch[];
  /** Runs that were going, by automation, never two of one at once. */
  readonly overlaps: number;
  advance(ms: number): void;
  /** Advances the wall clock, but not the daemon's own. */
  sleep(ms: number): void;
  /** Advances both clocks while the daemon does nothing. */
  hold(ms: number): void;
  /** The daemon is down for a time: what it had begun is lost. */
  restart(ms: number): void;
  setWall(by: number): void;
  /** Replaces an automation's schedules, or switches it. */
  change(
    automationId: string,
    next: { enabled: boolean; schedules: readonly PlannedSchedule[] },
  ): void;
  /** A run by hand, that may keep others from running. */
  runNow(automationId: string): void;
}

interface Automation {
  enabled: boolean;
  schedules: readonly PlannedSchedule[];
  marks: Record<string, ScheduleMarks>;
  /** When the run that is going ends, by the daemon's own clock. */
  busyUntil: number;
}

interface Task {
  at: number;
  work(): void;
}

/** Longest time between a decision and the claim of its slot: others are claimed first, and the disk is slow. */
export const SLOWEST_CLAIM_MS = 3_000;

/**
 * Everything round the scheduler that time can be seen in: clocks that jump, a daemon that comes and goes, runs that
 * take their time. Slots are claimed as the real one does it, by the same functions.
 */
export function createWorld(
  slots: Slots,
  random: Random,
  start: number,
): World {
  let wall = start;
  let monotonic = 0;
  let wakeAt: number | undefined;
  let scheduler = createScheduler(slots, { wall, monotonic });
  let tasks: Task[] = [];
  let overlaps = 0;
  const automations = new Map<string, Automation>();
  const open = new Map<string, Epoch>();
  const epochs: Epoch[] = [];

  /** Ends and begins epochs to what the marks say. */
  function follow(automation: Automation): void {
    for (const schedule of automation.schedules) {
      const marks = automation.marks[schedule.id]!;
      const isOn = automation.enabled && schedule.enabled;
      const current = open.get(schedule.id);
      const armedAt = Date.parse(marks.armedAt);
      const isSame =
        current?.armedAt === armedAt && current.schedule.cron === schedule.cron;
      if (isOn && isSame) continue;
      open.delete(schedule.id);
      if (!isOn) continue;
      const { lastSlotAt, offsetMs } = marks;
      const epoch: Epoch = {
        schedule,
        armedAt,
        offsetMs,
        lastSlotAt: lastSlotAt === null ? undefined : Date.parse(lastSlotAt),
        claims: [],
        awake: [{ from: wall, until: wall }],
      };
      open.set(schedule.id, epoch);
      epochs.push(epoch);
    }
  }

  function plan(automationId: string): void {
    const { schedules, marks } = automations.get(automationId)!;
    scheduler.plan(
      automationId,
      schedules.flatMap((schedule) => {
        const { nextSlotAt, offsetMs } = marks[schedule.id]!;
        if (nextSlotAt === null) return [];
        const scheduleId = schedule.id;
        const at = { offsetMs, nextSlotAt: Date.parse(nextSlotAt) };
        return [{ automationId, scheduleId, times: schedule, ...at }];
      }),
    );
  }

  /** What the daemon does when it starts, and when the clock was put right. */
  function load(): void {
    for (const [id, automation] of automations) {
      const { enabled, schedules, marks } = automation;
      const isWrong = schedules.some((schedule) =>
        isUnsound(slots, schedule, marks[schedule.id], { enabled, now: wall }),
      );
      if (isWrong)
        automation.marks = planSchedules(slots, automation, automation, wall);
      follow(automation);
      plan(id);
    }
  }

  function claim({ automationId, scheduleId, trigger }: Firing): void {
    const automation = automations.get(automationId)!;
    const schedule = automation.schedules.find(({ id }) => id === scheduleId);
    const marks = automation.marks[scheduleId];
    const due = schedule && marks && dueSlot(slots, schedule, marks, wall);
    let runsUntil: number | undefined;
    if (due) {
      const isBusy = automation.busyUntil > monotonic;
      const { slotAt, nextSlotAt } = due;
      const lastFiredAt = new Date(wall).toISOString();
      automation.marks = {
        ...automation.marks,
        [scheduleId]: { ...marks, lastSlotAt: slotAt, nextSlotAt, lastFiredAt },
      };
      const { claims, awake } = open.get(scheduleId)!;
      claims.push({
        stretch: awake.length - 1,
        slotAt: Date.parse(slotAt),
        firedAt: wall,
        trigger: scheduler.isMissed(
          { wall, monotonic },
          Date.parse(slotAt) + marks.offsetMs,
        )
          ? "catch-up"
          : "schedule",
        result: isBusy ? "busy" : "run",
      });
      if (!isBusy) runsUntil = begin(automation);
    }
    const madeUp = () => {
      scheduler.madeUp();
      look();
    };
    if (trigger === "catch-up" && runsUntil !== undefined)
      tasks.push({ at: runsUntil, work: madeUp });
    else if (trigger === "catch-up") scheduler.madeUp();
    plan(automationId);
    look();
  }

  function begin(automation: Automation): number {
    if (automation.busyUntil > monotonic) overlaps++;
    const isLong = random.chance(0.05);
    automation.busyUntil =
      monotonic +
      (isLong ? random.integer(60_000, 7_200_000) : random.integer(0, 20_000));
    return automation.busyUntil;
  }

  function look(): void {
    const { firings, waitMs, corrected } = scheduler.decide({
      wall,
      monotonic,
    });
    if (waitMs === 0 && firings.length === 0 && !corrected)
      throw new Error("It would look again at once, and find nothing.");
    wakeAt = waitMs === undefined ? undefined : monotonic + waitMs;
    if (corrected) load();
    for (const firing of firings) {
      const delay = random.chance(0.8)
        ? 0
        : random.integer(0, SLOWEST_CLAIM_MS);
      tasks.push({ at: monotonic + delay, work: () => claim(firing) });
    }
  }

  /** Begins a new span of time in which the daemon runs. */
  function resume(): void {
    for (const { awake } of open.values())
      awake.push({ from: wall, until: wall });
  }

  function move(ms: number): void {
    wall += ms;
    monotonic += ms;
    for (const { awake } of open.values()) awake.at(-1)!.until = wall;
  }

  /** The next thing to do until a moment: what was decided first, then the scheduler's own timer. */
  function nextTask(end: number): Task | undefined {
    let next: Task | undefined;
    for (const task of tasks)
      if (task.at <= end && (!next || task.at < next.at)) next = task;
    if (wakeAt !== undefined && wakeAt <= end && (!next || wakeAt < next.at))
      return { at: wakeAt, work: look };
    if (next) tasks = tasks.filter((task) => task !== next);
    return next;
  }

  function workUntil(end: number): void {
    for (let next = nextTask(end); next; next = nextTask(end)) {
      move(Math.max(0, next.at - monotonic));
      next.work();
    }
  }

  return {
    epochs,
    get overlaps() {
      return overlaps;
    },
    advance(ms) {
      const end = monotonic + ms;
      workUntil(end);
      move(end - monotonic);
    },
    sleep(ms) {
      wall += ms;
      resume();
    },
    hold(ms) {
      wall += ms;
      monotonic += ms;
      resume();
      // Timers that are late fire once, when the daemon continues.
      for (const task of tasks) task.at = Math.max(task.at, monotonic);
      if (wakeAt !== undefined) wakeAt = Math.max(wakeAt, monotonic);
      workUntil(monotonic);
    },
    restart(ms) {
      wall += ms;
      monotonic += ms;
      resume();
      tasks = [];
      for (const automation of automations.values()) automation.busyUntil = 0;
      scheduler = createScheduler(slots, { wall, monotonic });
      load();
      look();
    },
    setWall(by) {
      wall += by;
      resume();
    },
    change(automationId, next) {
      const before = automations.get(automationId) ?? {
        enabled: false,
        schedules: [],
        marks: {},
        busyUntil: 0,
      };
      const marks = planSchedules(slots, next, before, wall);
      const automation = { ...before, ...next, marks };
      automations.set(automationId, automation);
      for (const { id } of before.schedules) if (!marks[id]) open.delete(id);
      follow(automation);
      plan(automationId);
      look();
    },
    runNow(automationId) {
      const automation = automations.get(automationId)!;
      if (automation.busyUntil <= monotonic) begin(automation);
    },
  };
}
