/** Processor time of one {@link computeReference} on the machine by which limits in tests were chosen. */
const REFERENCE_MS = 1.3;
/** Enough for a system that counts in ticks of some milliseconds. */
const REFERENCE_RUNS = 60;

let speed: number | undefined;

/**
 * Measures the processor time that work takes on this thread, in milliseconds of a reference machine: other processes do not
 * count, and a slow machine is compared with what the same machine needs for a fixed computation. Use it to tell linear from
 * quadratic work and work on a part from work on everything, with a limit of ten times what it takes; how fast something
 * is belongs to the benchmarks. Children and other threads are not counted.
 *
 * @example
 * expect(await cpuCostOf(() => scan("{{".repeat(100_000)))).toBeLessThan(500);
 */
export async function cpuCostOf(
  work: () => Promise<unknown> | void,
): Promise<number> {
  speed ??= measureSpeed();
  const start = process.threadCpuUsage();
  await work();
  return milliseconds(start) * speed;
}

/** How fast this machine is, compared with the reference machine. */
function measureSpeed(): number {
  computeReference();
  const start = process.threadCpuUsage();
  for (let run = 0; run < REFERENCE_RUNS; run += 1) computeReference();
  return (REFERENCE_MS * REFERENCE_RUNS) / milliseconds(start);
}

function milliseconds(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}

/** Text, objects and numbers, as most of what tests measure. */
function computeReference(): number {
  const counts = new Map<string, number>();
  for (let index = 0; index < 10_000; index += 1) {
    const key = `key-${(index * 7_919) % 1_009}`;
    counts.set(key, (counts.get(key) ?? 0) + key.replace(/\d/g, "#").length);
  }
  return JSON.stringify([...counts]).length;
}
