import { createLocalTime } from "@gantry/plugin";

/** A change of a zone's clocks. */
export interface ClockChange {
  /** The first instant of the new time. */
  at: number;
  /** By how much clocks were moved: positive forward, negative back. */
  shift: number;
}

/** Where a local time is on the time line. */
export interface LocalTime {
  /** The instants at which clocks show it: none in a gap, two when it is repeated, in order. */
  instants: readonly number[];
  /** The change that skipped or repeated it. */
  change?: ClockChange;
}

/**
 * Time zones. A local time is written as the number of ms that the same wall time would have in UTC, so that plain
 * arithmetic works on it.
 */
export interface Zones {
  /** Whether this machine knows a zone. One that was taken by another version of the daemon may be unknown to this. */
  knows(timeZone: string): boolean;
  /** The local time at an instant. */
  toLocal(timeZone: string, instant: number): number;
  /** The instants of a local time. */
  toInstants(timeZone: string, local: number): LocalTime;
  /** The change of clocks between two instants (after the first, at or before the second), if they differ. */
  changeBetween(
    timeZone: string,
    after: number,
    until: number,
  ): ClockChange | undefined;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** No zone is further from UTC, so that a local time read as UTC is not further from its instants. */
const WEST_MS = 13 * HOUR_MS;
const EAST_MS = 15 * HOUR_MS;

/** Makes the zones. The clocks behind them are kept, since they are slow to make. */
export function createZones(): Zones {
  const clocks = new Map<string, ((instant: number) => number) | undefined>();

  function findClock(timeZone: string) {
    // The name of a zone ignores case. Lower case keeps the map as small as the list of zones.
    const name = timeZone.toLowerCase();
    if (!clocks.has(name)) clocks.set(name, tryClock(timeZone));
    return clocks.get(name);
  }

  function toLocal(timeZone: string, instant: number): number {
    const clock = findClock(timeZone);
    if (!clock) throw new RangeError(`There is no time zone "${timeZone}".`);
    return clock(instant);
  }

  const offsetAt = (timeZone: string, instant: number) =>
    toLocal(timeZone, instant) - instant;

  function changeBetween(
    timeZone: string,
    after: number,
    until: number,
  ): ClockChange | undefined {
    const before = offsetAt(timeZone, after);
    const shift = offsetAt(timeZone, until) - before;
    if (shift === 0) return undefined;
    // Clocks change at whole minutes.
    let low = Math.floor(after / MINUTE_MS);
    let high = Math.ceil(until / MINUTE_MS);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(timeZone, middle * MINUTE_MS) === before) low = middle;
      else high = middle;
    }
    return { at: high * MINUTE_MS, shift };
  }

  return {
    knows: (timeZone) => findClock(timeZone) !== undefined,
    toLocal,
    changeBetween,
    toInstants(timeZone, local) {
      const before = offsetAt(timeZone, local - EAST_MS);
      const after = offsetAt(timeZone, local + WEST_MS);
      const early = local - before;
      const late = local - after;
      if (before === after) return { instants: [early] };
      const change = changeBetween(timeZone, local - EAST_MS, local + WEST_MS);
      if (!change) return { instants: [early] };
      const instants = [early, late].filter((instant) =>
        instant === early ? instant < change.at : instant >= change.at,
      );
      return instants.length === 1 ? { instants } : { instants, change };
    },
  };
}

/** `undefined` for a zone that is not known. */
function tryClock(timeZone: string): ((instant: number) => number) | undefined {
  try {
    return createLocalTime(timeZone);
  } catch {
    return undefined;
  }
}

/** One name for all names of a zone: `UTC` for `etc/utc`. A zone that is not known has only its own. */
export function canonicalZone(timeZone: string): string {
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone });
    return format.resolvedOptions().timeZone.toLowerCase();
  } catch {
    return timeZone.toLowerCase();
  }
}
