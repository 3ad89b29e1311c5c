/** Clocks of two machines differ by less. */
const TOLERANCE_MS = 5 * 60_000;

/**
 * Whether a snapshot says that it was made in the future: by a clock that was ahead, or by somebody who wants it to be the newest.
 * It can be restored by its id, and is not the last one before its time has come.
 *
 * @param now Milliseconds since 1970.
 */
export function isFromFuture(
  { createdAt }: { createdAt: string },
  now: number,
): boolean {
  return Date.parse(createdAt) > now + TOLERANCE_MS;
}
