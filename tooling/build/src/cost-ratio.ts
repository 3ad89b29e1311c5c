/** A measurement shorter than this is mostly its own cost. */
const MIN_SAMPLE_MS = 1;
/** The least measurement counts; on an idle machine few are enough. */
const MIN_ROUNDS = 5;
const MAX_ROUNDS = 50;
/** What takes long is measured fewer times. */
const MAX_TOTAL_MS = 300;
/** Rounds in a row without an improvement after which measuring ends. */
const MAX_STALE_ROUNDS = 8;
/** Less than this is no improvement. */
const IMPROVEMENT = 0.98;

type Work = () => unknown;

/**
 * Compares the processor time of two pieces of work, in one run and taken in turn. Of each the least of many measurements
 * counts, which neither a slow machine nor a busy one changes.
 *
 * @returns how many times as much `work` takes as `baseline`
 * @example
 * // a page of a long list takes about as much as one of a short list
 * expect(await costRatio(readLong, readShort)).toBeLessThan(3);
 */
export async function costRatio(work: Work, baseline: Work): Promise<number> {
  // Samples of the same length: what else the process does, such as collecting garbage, is as likely in each.
  const length = Math.max(
    MIN_SAMPLE_MS,
    await measureOnce(work),
    await measureOnce(baseline),
  );
  const first = await createSampler(work, length);
  const second = await createSampler(baseline, length);
  const start = processorTime();
  let stale = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const isBetter = [await first.take(), await second.take()].includes(true);
    stale = isBetter ? 0 : stale + 1;
    const isLate = processorTime() - start > MAX_TOTAL_MS;
    if (round >= MIN_ROUNDS && (isLate || stale > MAX_STALE_ROUNDS)) break;
  }
  return first.least() / second.least();
}

/** How many times as long the larger input is. */
const GROWTH = 16;

/**
 * Tells linear work from quadratic work: how many times as much 16 times the input takes. Linear is about 16, quadratic 256,
 * so that a test demands less than {@link MAX_LINEAR_GROWTH}. Choose a size whose larger input takes some milliseconds.
 *
 * @param make Makes an input of a size. It is not measured: memory for a large one can take longer than the work.
 * @example
 * const growth = await costGrowth((size) => "{{".repeat(size), scan, 3_000);
 * expect(growth).toBeLessThan(MAX_LINEAR_GROWTH);
 */
export async function costGrowth<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const large = make(GROWTH * size);
  const small = make(size);
  return costRatio(
    () => work(large),
    () => work(small),
  );
}

/** Half-way between linear and quadratic growth: four times either, far from what caches and a busy machine change. */
export const MAX_LINEAR_GROWTH = 64;

/** Takes samples of about a length, and knows the least time of the work in them. */
async function createSampler(work: Work, lengthMs: number) {
  let repeats = 1;
  while ((await measure(work, repeats)) < 0.7 * lengthMs) repeats *= 2;
  let least = Infinity;
  return {
    least: () => least,
    /** Tells whether the sample was an improvement. */
    async take(): Promise<boolean> {
      const time = (await measure(work, repeats)) / repeats;
      const isBetter = time < least * IMPROVEMENT;
      least = Math.min(least, time);
      return isBetter;
    },
  };
}

/** What work takes when it is warm, in milliseconds. */
async function measureOnce(work: Work): Promise<number> {
  await work();
  return Math.min(await measure(work, 1), await measure(work, 1));
}

/** What it takes to do work some times, in milliseconds. */
async function measure(work: Work, repeats: number): Promise<number> {
  const start = processorTime();
  for (let repeat = 0; repeat < repeats; repeat += 1) await work();
  return processorTime() - start;
}

/** What this process has used, in milliseconds. It does not grow while others have the processor. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
