import type { Snapshot } from "../wire.ts";

/** Sizes of snapshots over time, by the reader's clock. */
export interface Sizes {
  by: "hour" | "day";
  /** Without a gap, the oldest first. */
  times: string[];
  /** Bytes that the snapshots of each time added to the backup folder. */
  added: number[];
  /** Bytes that the newest snapshot at each time holds. */
  held: number[];
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Snapshots of a shorter time are shown by the hour. */
const MAX_HOURS = 48;
const MIN_HOURS = 12;
/** More would be drawn as weeks, which would add up what the newest snapshot of each day holds. */
const MAX_DAYS = 90;
const MIN_DAYS = 7;

type Sized = Pick<Snapshot, "createdAt" | "ownBytes" | "contentBytes">;

/** Puts snapshots of any order on a time line that ends now. */
export function toSizes(snapshots: readonly Sized[], now: number): Sizes {
  const oldestFirst = snapshots
    .map((snapshot) => ({ ...snapshot, at: Date.parse(snapshot.createdAt) }))
    .sort((one, other) => one.at - other.at);
  const span = now - (oldestFirst[0]?.at ?? now);
  const by = span < MAX_HOURS * HOUR_MS ? "hour" : "day";
  const times =
    by === "hour"
      ? listHours(now, Math.max(MIN_HOURS, countHours(now - span, now)))
      : listDays(
          now,
          Math.min(MAX_DAYS, Math.max(MIN_DAYS, countDays(now - span, now))),
        );
  const toTime = by === "hour" ? toLocalHour : toLocalDay;
  const added = new Map<string, number>();
  const held = new Map<string, number>();
  for (const { at, ownBytes, contentBytes } of oldestFirst) {
    const time = toTime(new Date(at));
    added.set(time, (added.get(time) ?? 0) + ownBytes);
    held.set(time, contentBytes);
  }
  const first = times[0] ?? "";
  // What was held before the line begins still is at its beginning.
  let last = oldestFirst.findLast(
    ({ at }) => toTime(new Date(at)) < first,
  )?.contentBytes;
  return {
    by,
    times,
    added: times.map((time) => added.get(time) ?? 0),
    held: times.map((time) => (last = held.get(time) ?? last) ?? 0),
  };
}

/** Hours of the reader's clock from that of one moment to that of another, both included. */
function countHours(from: number, to: number): number {
  const hour = (moment: number) => new Date(moment).setMinutes(0, 0, 0);
  return Math.round((hour(to) - hour(from)) / HOUR_MS) + 1;
}

function countDays(from: number, to: number): number {
  const midnight = (moment: number) => new Date(moment).setHours(0, 0, 0, 0);
  // A day that summer time begins or ends in is an hour shorter or longer.
  return Math.round((midnight(to) - midnight(from)) / DAY_MS) + 1;
}

function listHours(now: number, count: number): string[] {
  const times = Array.from({ length: count }, (_, index) =>
    toLocalHour(new Date(now - (count - 1 - index) * HOUR_MS)),
  );
  // The hour that summer time ends in comes twice.
  return [...new Set(times)];
}

function listDays(now: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now);
    day.setDate(day.getDate() - (count - 1 - index));
    return toLocalDay(day);
  });
}

const two = (value: number) => String(value).padStart(2, "0");

function toLocalDay(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function toLocalHour(date: Date): string {
  return `${toLocalDay(date)}T${two(date.getHours())}`;
}
