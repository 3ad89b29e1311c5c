/** The least of these many measurements counts: all others hold something that was not the work's. */
const ROUNDS = 5;
/** Work that needs less is repeated until it is long enough to be measured. */
const MIN_COST_MS = 10;

type Work = () => unknown;

/**
 * Compares the processor time of two pieces of work on this thread, each the least of five measurements taken in turn.
 * Neither other processes nor the speed of the machine count. Children and other threads are not measured.
 *
 * @returns how many times as much `work` costs as `baseline`
 * @example
 * // 1,000 refusals cost about what 1,000 plain answers cost
 * expect(await costRatio(askRefused, askPlain)).toBeLessThan(2);
 */
export async function costRatio(work: Work, baseline: Work): Promise<number> {
  let repeats = 1;
  while ((await measure(baseline, repeats)) < MIN_COST_MS) repeats *= 2;
  let workCost = await measure(work, repeats);
  let baselineCost = await measure(baseline, repeats);
  for (let round = 1; round < ROUNDS; round += 1) {
    workCost = Math.min(workCost, await measure(work, repeats));
    baselineCost = Math.min(baselineCost, await measure(baseline, repeats));
  }
  return workCost / baselineCost;
}

/**
 * Tells linear work from quadratic work: how many times as much four times the input costs. Linear is about 4, quadratic
 * 16, so that a test demands less than {@link MAX_LINEAR_GROWTH}. Choose a size that takes some milliseconds.
 *
 * @example
 * expect(await costGrowth((size) => scan("{{".repeat(size)), 25_000)).toBeLessThan(MAX_LINEAR_GROWTH);
 */
export async function costGrowth(
  work: (size: number) => unknown,
  size: number,
): Promise<number> {
  return costRatio(
    () => work(4 * size),
    () => work(size),
  );
}

/** Half-way between linear and quadratic growth for four times the input. */
export const MAX_LINEAR_GROWTH = 8;

/** Processor time of this thread for work that is done some times, in milliseconds. */
async function measure(work: Work, repeats: number): Promise<number> {
  const start = process.threadCpuUsage();
  for (let repeat = 0; repeat < repeats; repeat += 1) await work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}
