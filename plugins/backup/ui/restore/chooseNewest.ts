import type { Snapshot } from "../wire.ts";

/** Clocks of two machines differ by less. */
const TOLERANCE_MS = 5 * 60_000;

/**
 * The snapshot to restore unless one is named: the newest that nothing is known to be wrong with, one of another home only if there
 * is no other, and one with a problem only if there is no good one.
 *
 * None from the future is chosen: a clock was ahead when it was made, or an attacker wants it to be the newest.
 *
 * @param newestFirst Snapshots that are loaded.
 * @param now Milliseconds since 1970.
 */
export function chooseNewest(
  newestFirst: readonly Snapshot[],
  now: number,
): Snapshot | undefined {
  const past = newestFirst.filter(
    ({ createdAt }) => Date.parse(createdAt) <= now + TOLERANCE_MS,
  );
  const good = past.filter(({ problem }) => problem === null);
  const own = good.find(({ otherHome }) => otherHome === null);
  return own ?? good[0] ?? past[0];
}
