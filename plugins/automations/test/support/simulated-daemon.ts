import { dueSlot, planSchedules } from "../../src/schedule/plan.ts";
import type {
  PlannedSchedule,
  ScheduleMarks,
} from "../../src/schedule/plan.ts";
import { createScheduler } from "../../src/schedule/scheduler.ts";
import type { Firing, Scheduler } from "../../src/schedule/scheduler.ts";
import type { Slots } from "../../src/schedule/slots.ts";

/** A firing that found its slot. */
export interface SimulatedRun {
  scheduleId: string;
  trigger: Firing["trigger"];
  slotAt: number;
  firedAt: number;
}

/** The decisions of the scheduler, carried out in a world that has nothing but time and marks. */
export interface SimulatedDaemon {
  readonly runs: SimulatedRun[];
  readonly marks: Readonly<Record<string, ScheduleMarks>>;
  readonly now: number;
  /** Lets time pass while it is awake. */
  advance(ms: number): void;
  /** Lets time pass in which it sleeps: the wall clock advances, its own does not. */
  sleep(ms: number): void;
  /** Lets time pass in which it is held: both clocks advance, and it does nothing. */
  hold(ms: number): void;
  /** Lets time pass in which it is down, and starts it again. */
  restart(ms: number): void;
  /** Sets the wall clock. */
  setWall(ms: number): void;
}

const AUTOMATION = "aut_simulated";

export function simulateDaemon(
  slots: Slots,
  schedules: readonly PlannedSchedule[],
  start: number,
): SimulatedDaemon {
  let wall = start;
  let monotonic = 0;
  let wakeAt: number | undefined;
  const on = { enabled: true, schedules };
  const nothing = { enabled: false, schedules: [], marks: {} };
  let marks = planSchedules(slots, on, nothing, wall);
  const runs: SimulatedRun[] = [];
  let scheduler = boot();

  function boot(): Scheduler {
    const fresh = createScheduler(slots, { wall, monotonic });
    plan(fresh);
    return fresh;
  }

  function plan(target: Scheduler): void {
    target.plan(
      AUTOMATION,
      schedules.flatMap((schedule) => {
        const { nextSlotAt, offsetMs } = marks[schedule.id]!;
        if (nextSlotAt === null) return [];
        return [
          {
            automationId: AUTOMATION,
            scheduleId: schedule.id,
            times: schedule,
            offsetMs,
            nextSlotAt: Date.parse(nextSlotAt),
          },
        ];
      }),
    );
  }

  function look(): void {
    const { firings, waitMs } = scheduler.decide({ wall, monotonic });
    if (waitMs === 0 && firings.length === 0)
      throw new Error("It would look again at once, and find nothing.");
    wakeAt = waitMs === undefined ? undefined : monotonic + waitMs;
    for (const { scheduleId, trigger } of firings) {
      const schedule = schedules.find(({ id }) => id === scheduleId)!;
      const due = dueSlot(slots, schedule, marks[scheduleId]!, wall);
      if (due) {
        const firedAt = new Date(wall).toISOString();
        const claimed = { lastSlotAt: due.slotAt, nextSlotAt: due.nextSlotAt };
        marks = {
          ...marks,
          [scheduleId]: {
            ...marks[scheduleId]!,
            ...claimed,
            lastFiredAt: firedAt,
          },
        };
        const slotAt = Date.parse(due.slotAt);
        runs.push({ scheduleId, trigger, slotAt, firedAt: wall });
      }
      if (trigger === "catch-up") scheduler.madeUp();
      plan(scheduler);
    }
    if (firings.length > 0) look();
  }

  look();
  return {
    runs,
    get marks() {
      return marks;
    },
    get now() {
      return wall;
    },
    advance(ms) {
      const end = monotonic + ms;
      while (wakeAt !== undefined && wakeAt <= end) {
        wall += wakeAt - monotonic;
        monotonic = wakeAt;
        look();
      }
      wall += end - monotonic;
      monotonic = end;
    },
    sleep: (ms) => void (wall += ms),
    hold(ms) {
      wall += ms;
      monotonic += ms;
      if (wakeAt !== undefined && wakeAt <= monotonic) look();
    },
    restart(ms) {
      wall += ms;
      monotonic += ms;
      scheduler = boot();
      look();
    },
    setWall: (ms) => void (wall = ms),
  };
}
