import type { Clock, Disposer } from "@gantry/plugin";
import { sleepOn } from "@gantry/system/clock/system-clock";

/** A clock that only advances when the test advances it. */
export interface FakeClock extends Clock {
  /**
   * Advances both times, and calls back whatever becomes due, in order, each with its consequences settled before the
   * next. Does not wait for operations in real time: files, sockets, child processes.
   */
  advance(ms: number): Promise<void>;
  /** Advances to a wall time: RFC 3339, or ms. */
  advanceTo(time: string | number): Promise<void>;
  /** Sets the wall clock without advancing monotonic time, as a user or a time server does. */
  jumpWall(time: string | number): void;
  /** Number of pending callbacks. */
  readonly pending: number;
}

interface Timer {
  due: number;
  order: number;
  callback: () => void;
}

/** Turns of the event loop after which the consequences of a callback are settled. */
const SETTLE_TURNS = 8;

/** Creates a clock with a given time; noon on an ordinary day by default. */
export function createFakeClock(
  start: string | number = "2026-03-02T12:00:00.000Z",
): FakeClock {
  let wall = toMs(start);
  let monotonic = 0;
  let count = 0;
  const timers = new Set<Timer>();

  async function advance(ms: number): Promise<void> {
    const end = monotonic + ms;
    for (;;) {
      await settle();
      let next: Timer | undefined;
      for (const timer of timers) {
        if (
          timer.due <= end &&
          (!next ||
            timer.due < next.due ||
            (timer.due === next.due && timer.order < next.order))
        ) {
          next = timer;
        }
      }
      if (!next) break;
      timers.delete(next);
      const step = Math.max(0, next.due - monotonic);
      wall += step;
      monotonic += step;
      next.callback();
    }
    wall += end - monotonic;
    monotonic = end;
    await settle();
  }

  const clock: FakeClock = {
    now: () => wall,
    timestamp: () => new Date(wall).toISOString(),
    monotonic: () => monotonic,
    after(ms, callback): Disposer {
      const timer: Timer = {
        due: monotonic + Math.max(0, ms),
        order: count++,
        callback,
      };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
    advance,
    advanceTo: (time) => advance(Math.max(0, toMs(time) - wall)),
    jumpWall(time) {
      wall = toMs(time);
    },
    get pending() {
      return timers.size;
    },
  };
  return clock;
}

function toMs(time: string | number): number {
  return typeof time === "number" ? time : Date.parse(time);
}

/** Runs pending promises and already-queued I/O of this process. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn++)
    await new Promise((resolve) => setImmediate(resolve));
}
