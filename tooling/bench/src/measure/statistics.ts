/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0)
    throw new RangeError("There is no median of nothing.");
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1
    ? upper
    : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value that 99 of 100 do not exceed. */
export function percentile99(values: readonly number[]): number {
  if (values.length === 0)
    throw new RangeError("There is no percentile of nothing.");
  const sorted = Float64Array.from(values).sort();
  return (
    sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.99) - 1)] ??
    Number.NaN
  );
}

/** The median of what each pair of one round gives, so that what slows a whole round down counts for neither side. */
export function medianRatio(
  ours: readonly number[],
  theirs: readonly number[],
): number {
  return median(
    ours.map((value, round) => value / (theirs[round] ?? Number.NaN)),
  );
}
