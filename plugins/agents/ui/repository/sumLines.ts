/** The lines of some files together, of those whose lines are known. */
export function sumLines(
  files: readonly { additions: number | null; deletions: number | null }[],
): { additions: number; deletions: number } {
  const sum = { additions: 0, deletions: 0 };
  for (const { additions, deletions } of files) {
    sum.additions += additions ?? 0;
    sum.deletions += deletions ?? 0;
  }
  return sum;
}
