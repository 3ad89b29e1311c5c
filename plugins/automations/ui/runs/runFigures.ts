import type { Run } from "../wire.ts";
import { durationOf } from "./runWords.ts";

/** A run in the picture of the last runs. */
export interface Bar {
  run: Run;
  /** Part of the picture's height that it takes, 0 to 1. */
  height: number;
}

const LOWEST = 0.14;

/** Bars for runs, oldest first, as high as they took long; a long one does not make all others look like nothing. */
export function toBars(runs: readonly Run[], now: number): Bar[] {
  const durations = runs.map((run) => durationOf(run, now) ?? 0);
  const longest = Math.max(1, ...durations);
  return runs
    .map((run, index) => ({
      run,
      height: LOWEST + (1 - LOWEST) * Math.sqrt(durations[index]! / longest),
    }))
    .toReversed();
}

/** Results of runs, in figures. */
export interface Summary {
  done: number;
  failed: number;
  skipped: number;
  /** What those that are done took: as many took longer as shorter. `null` if none is done. */
  usualMs: number | null;
  /** What is known of their cost; `null` if nothing is. */
  costUsd: number | null;
  /** Whether the cost of each is known. */
  isWholeCost: boolean;
}

export function summarize(runs: readonly Run[]): Summary {
  const count = (result: Run["result"]) =>
    runs.filter((run) => run.result === result).length;
  const ended = runs.filter(
    ({ startedAt, finishedAt }) => startedAt !== null && finishedAt !== null,
  );
  const costs = ended.flatMap(({ costUsd }) => costUsd ?? []);
  const durations = ended
    .filter(({ result }) => result === "done")
    .map((run) => durationOf(run, 0) ?? 0)
    .sort((one, other) => one - other);
  return {
    done: count("done"),
    failed: count("failed"),
    skipped: count("skipped"),
    usualMs: durations[Math.floor(durations.length / 2)] ?? null,
    costUsd:
      costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    isWholeCost: costs.length === ended.length,
  };
}
