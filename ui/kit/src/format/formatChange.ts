/**
 * How much more or less something is than before: `+12 %`, `−40 %`, `×12`, `as before`. `null` if there is nothing to
 * compare it with: before it was 0, or one of them is not known.
 */
export function formatChange(
  now: number | null | undefined,
  before: number | null | undefined,
): string | null {
  if (typeof now !== "number" || !before) return null;
  const change = (now - before) / Math.abs(before);
  const percent = Math.round(change * 100);
  if (percent === 0) return "as before";
  if (percent >= 900) return `×${Math.round(now / before)}`;
  return `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`;
}
