/** A moment by both clocks. */
export interface Moment {
  /** Wall time in ms; it may jump. */
  wall: number;
  /** Milliseconds that only grow. */
  monotonic: number;
}

/** What a look at the clocks found. */
export type ClockFinding =
  | "steady"
  /** The machine slept, the process was held, or the wall clock was set. */
  | "jumped"
  /** The wall clock was set back by so much that it must have been wrong before. */
  | "corrected";

/** Tells sleep and clocks that are set from time that passes. */
export interface Wakefulness {
  /**
   * Looks at the clocks.
   *
   * @param expectedAt Monotonic time at which it should have been called again at the latest, if it should.
   */
  look(moment: Moment, expectedAt: number | undefined): ClockFinding;
  /** Wall time since when the daemon has been awake without a break, by a clock that was not set in between. */
  readonly awakeSince: number;
}

/** The two clocks may differ by so much between two looks. */
const DRIFT_MS = 2_000;
/** A timer may be so late on a busy machine. */
const LATE_MS = 10_000;
const CORRECTION_MS = 24 * 60 * 60 * 1000;

export function createWakefulness(start: Moment): Wakefulness {
  let last = start;
  let awakeSince = start.wall;
  return {
    get awakeSince() {
      return awakeSince;
    },
    look(moment, expectedAt) {
      const passed = moment.monotonic - last.monotonic;
      const drift = moment.wall - last.wall - passed;
      const late = expectedAt === undefined ? 0 : moment.monotonic - expectedAt;
      last = moment;
      if (Math.abs(drift) <= DRIFT_MS && late <= LATE_MS) return "steady";
      awakeSince = moment.wall;
      return drift < -CORRECTION_MS ? "corrected" : "jumped";
    },
  };
}
