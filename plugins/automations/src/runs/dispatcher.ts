import type { Clock, Disposer } from "@gantry/plugin";
import type { Appointment, Firing, Scheduler } from "../schedule/scheduler.ts";

/** Keeps the scheduler in step with the clock: one timer, for the next thing that is due. */
export interface Dispatcher {
  /** Replaces what is planned for an automation, and looks at the clock. */
  plan(automationId: string, appointments: readonly Appointment[]): void;
  /** Something that was fired as `catch-up` is over. */
  madeUp(): void;
  /** Whether something that was due at a time is only made up for now. */
  isMissed(dueAt: number): boolean;
  /** Looks at the clock from now on. */
  start(): void;
  /** Ends the timer. */
  stop(): void;
}

/** What the dispatcher sets off. */
export interface DispatchTargets {
  fire(firing: Firing): void;
  /** The clock was corrected by days: everything is to be planned again. */
  replan(): void;
}

export function createDispatcher(
  scheduler: Scheduler,
  clock: Clock,
  { fire, replan }: DispatchTargets,
): Dispatcher {
  let cancel: Disposer = () => {};
  let isRunning = false;

  const readClocks = () => ({
    wall: clock.now(),
    monotonic: clock.monotonic(),
  });

  function look(): void {
    if (!isRunning) return;
    cancel();
    const { firings, waitMs, corrected } = scheduler.decide(readClocks());
    // The timer comes first, so that no time is lost to what is fired.
    cancel = waitMs === undefined ? () => {} : clock.after(waitMs, look);
    if (corrected) replan();
    for (const firing of firings) fire(firing);
  }

  return {
    plan(automationId, appointments) {
      scheduler.plan(automationId, appointments);
      look();
    },
    madeUp() {
      scheduler.madeUp();
      look();
    },
    isMissed: (dueAt) => scheduler.isMissed(readClocks(), dueAt),
    start() {
      isRunning = true;
      look();
    },
    stop() {
      isRunning = false;
      cancel();
    },
  };
}
