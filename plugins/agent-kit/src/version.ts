/** Whether a version is at least another one; an unknown version counts as new. */
export function isAtLeast(
  version: string | null,
  wanted: readonly [number, number, number],
): boolean {
  const match = /(\d+)\.(\d+)\.(\d+)/.exec(version ?? "");
  if (!match) return true;
  const parts = match.slice(1).map(Number);
  for (const [index, part] of wanted.entries()) {
    const own = parts[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}
