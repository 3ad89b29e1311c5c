import type { MeasuredProgram } from "@gantry/process-kit";

/** What a program took since it began. */
export interface ProcessUsage extends Pick<
  MeasuredProgram,
  "pid" | "startedAt" | "plugin" | "cpuMs" | "memoryBytes"
> {
  /** Whether another of the sample has counted it already. */
  isPart?: boolean;
}

/** What the programs of one plugin took at a moment. */
export interface UsageSample {
  /** Milliseconds since 1970. */
  at: number;
  /** Of one processor, between this sample and the one before; by plugin. */
  cpuPercent: ReadonlyMap<string, number>;
  memoryBytes: ReadonlyMap<string, number>;
}

const MAX_SAMPLES = 150;
/** After a longer gap no samples were taken: a line across it would show what was not measured. */
const MAX_GAP_MS = 15_000;

/**
 * Keeps samples of what programs used. One is taken each time a client reads the list, and none in between, so that it costs
 * nothing otherwise.
 */
export class UsageHistory {
  #samples: UsageSample[] = [];
  #last: { at: number; cpuMs: Map<string, number> } | undefined;
  /** Of one processor, by {@link keyOf}. */
  #percent = new Map<string, number>();

  /** Takes a sample, and gives all that are remembered, oldest first. */
  add(at: number, processes: readonly ProcessUsage[]): UsageSample[] {
    const before = this.#last;
    const gap = before ? at - before.at : Number.POSITIVE_INFINITY;
    // Two that look at the same time make one sample.
    if (gap < 500) return this.#samples;
    if (gap > MAX_GAP_MS) this.#samples = [];
    const cpuMs = new Map<string, number>();
    const cpuPercent = new Map<string, number>();
    const memoryBytes = new Map<string, number>();
    this.#percent = new Map();
    for (const process of processes) {
      const { plugin } = process;
      const key = keyOf(process);
      cpuMs.set(key, process.cpuMs ?? 0);
      const earlier = before?.cpuMs.get(key);
      // A part of a tree that has ended takes its time with it.
      const used = Math.max(0, (process.cpuMs ?? 0) - (earlier ?? Infinity));
      const percent = gap > MAX_GAP_MS ? 0 : (100 * used) / gap;
      this.#percent.set(key, percent);
      if (process.isPart) continue;
      cpuPercent.set(plugin, (cpuPercent.get(plugin) ?? 0) + percent);
      memoryBytes.set(
        plugin,
        (memoryBytes.get(plugin) ?? 0) + (process.memoryBytes ?? 0),
      );
    }
    this.#last = { at, cpuMs };
    this.#samples = [
      ...this.#samples.slice(1 - MAX_SAMPLES),
      { at, cpuPercent, memoryBytes },
    ];
    return this.#samples;
  }

  /** What a program took of one processor between the last two samples; 0 for one that is new. */
  percentOf(process: Pick<MeasuredProgram, "pid" | "startedAt">): number {
    return this.#percent.get(keyOf(process)) ?? 0;
  }
}

/** A number is used again for another process. */
const keyOf = ({
  pid,
  startedAt,
}: Pick<MeasuredProgram, "pid" | "startedAt">) => `${pid} ${startedAt}`;
