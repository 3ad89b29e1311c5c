/** The number of files that are shown. */
const SHOWN = 10;

/**
 * A table of the files of tests that took longest: where to begin to make tests faster.
 *
 * @param {{ taskId: string, file: string, seconds: number }[]} files What ran, each with its time.
 */
export function toSlowestTable(files) {
  if (files.length === 0) return "";
  const slowest = files
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, SHOWN);
  const whole = files.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    `Slowest of ${files.length} files of tests (${Math.round(whole)} s in all):`,
    ...slowest.map(
      ({ taskId, file, seconds }) =>
        `${seconds.toFixed(1).padStart(7)} s  ${taskId.split("#")[0]} ${file}`,
    ),
  ].join("\n");
}
