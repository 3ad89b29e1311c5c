import { isFromFuture } from "../snapshots/is-from-future.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** 1970 began on a Thursday; weeks begin on Monday. */
const MONDAY_OFFSET_DAYS = 3;
const DAYS_IN_WEEK = 7;

/** What retention looks at in a snapshot. */
export interface KeptSnapshot {
  id: string;
  /** RFC 3339 UTC. */
  createdAt: string;
  /** Whether nothing is known to be wrong with it. */
  isGood: boolean;
  /** Whether it was restored on trial. */
  isVerified: boolean;
}

/** Which snapshots are kept. */
export interface RetentionRules {
  keepDays: number;
  keepsWeekly: boolean;
}

/**
 * The ids of the snapshots that are not kept, the oldest first. Kept are:
 *
 * - all of the last 24 hours;
 * - those from the future, made while a clock was ahead; they do not count for the rules below;
 * - the newest of each of the last `keepDays` days that have one. Days without any do not count, so that neither a long
 *   pause nor a clock that is wrong by years expires all of them;
 * - with `keepsWeekly`, the newest of each week before these days;
 * - the newest good one, the newest good one that was verified, and those in `atWork`.
 *
 * Days and weeks are those of UTC. Of a day or week the newest good one is kept, if any is good.
 */
export function chooseExpired(
  snapshots: readonly KeptSnapshot[],
  { keepDays, keepsWeekly }: RetentionRules,
  now: number,
  atWork: ReadonlySet<string> = new Set(),
): string[] {
  const newestFirst = snapshots
    .map((snapshot) => ({ ...snapshot, at: Date.parse(snapshot.createdAt) }))
    .sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1));
  const kept = new Set(atWork);
  for (const { id, at } of newestFirst) if (now - at < DAY_MS) kept.add(id);
  const past = newestFirst.filter((snapshot) => !isFromFuture(snapshot, now));
  const good = past.filter(({ isGood }) => isGood);
  // A snapshot that was just made is not yet known to be restorable.
  for (const newest of [good[0], good.find(({ isVerified }) => isVerified)])
    if (newest) kept.add(newest.id);

  const days = [...groupBy(past, ({ at }) => toDay(at)).values()];
  for (const day of days.slice(0, keepDays)) kept.add(representativeOf(day).id);
  if (keepsWeekly) {
    const older = days.slice(keepDays).flat();
    for (const week of groupBy(older, ({ at }) => toWeek(at)).values())
      kept.add(representativeOf(week).id);
  }
  return newestFirst
    .filter(({ id }) => !kept.has(id))
    .map(({ id }) => id)
    .reverse();
}

function representativeOf<Item extends { isGood: boolean }>(
  newestFirst: readonly Item[],
): Item {
  return newestFirst.find(({ isGood }) => isGood) ?? newestFirst[0]!;
}

function toDay(at: number): number {
  return Math.floor(at / DAY_MS);
}

function toWeek(at: number): number {
  return Math.floor((toDay(at) + MONDAY_OFFSET_DAYS) / DAYS_IN_WEEK);
}

function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => number,
): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
