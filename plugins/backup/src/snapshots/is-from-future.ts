/** Clocks of two machines differ by less. */
const TOLERANCE_MS = 5 * 60_000;

/**
 * Whether a snapshot claims to be from the future: a clock was ahead, or an attacker wants it to be the newest. It can be restored
 * by its id, and does not count as the newest one until that time.
 *
 * @param now Milliseconds since 1970.
 */
export function isFromFuture(
  { createdAt }: { createdAt: string },
  now: number,
): boolean {
  return Date.parse(createdAt) > now + TOLERANCE_MS;
}
