import type { Clock } from "@gantry/plugin";

/** What both clocks show at one moment. */
export interface Moment {
  /** In ms since 1970 UTC. It may jump, and advances while the machine sleeps. */
  wall: number;
  /** In ms. It only grows, and restarts with the daemon. */
  monotonic: number;
}

/** What the clocks of the daemon show now. */
export function readMoment(clock: Clock): Moment {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/**
 * A moment that an earlier daemon stored, of which only the wall time is known. One that is in the future was stored before the
 * clock was set back, and counts as now.
 */
export function recallMoment(wall: number, now: Moment): Moment {
  return { wall: Math.min(wall, now.wall), monotonic: now.monotonic };
}

/** The clocks never agree to the millisecond. */
const TOLERANCE_MS = 1000;

/**
 * How long ago a moment was, in ms: by the wall clock, which also counts sleep, or by the monotonic one if the wall clock
 * was set back since.
 */
export function elapsedSince(moment: Moment, now: Moment): number {
  const byWall = now.wall - moment.wall;
  const byMonotonic = now.monotonic - moment.monotonic;
  const wasSetBack = byMonotonic - byWall > TOLERANCE_MS;
  return Math.max(0, wasSetBack ? byMonotonic : byWall);
}
