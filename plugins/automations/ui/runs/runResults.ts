import type { DashboardRange } from "@gantry/ui-kit";
import type { RunResults } from "../wire.ts";

type Counts = Pick<RunResults["total"], "done" | "failed" | "skipped">;

/** What the dashboard draws of the runs of a range. */
export interface RunFigures {
  /** A number for each hour or day. */
  done: number[];
  failed: number[];
  skipped: number[];
  now: Counts;
  /** The same time before; `undefined` if not all of it was there to be counted. */
  before: Counts | undefined;
  /** Why runs of the range failed or were skipped, the most frequent first. */
  reasons: RunResults["total"]["reasons"];
  since: string | null;
}

/** Tells a range from the time before it, in an answer that has both. */
export function toRunFigures(
  { items, since }: Pick<RunResults, "items" | "since">,
  range: Pick<DashboardRange, "from" | "before" | "times">,
): RunFigures {
  const rows = new Map(items.map((row) => [row.key, row]));
  const inside = items.filter(({ key }) => key >= range.from);
  const earlier = items.filter(({ key }) => key < range.from);
  const values = (result: keyof Counts) =>
    range.times.map((time) => rows.get(time)?.[result] ?? 0);
  const reasons = new Map<string, RunFigures["reasons"][number]>();
  for (const each of inside.flatMap((row) => row.reasons)) {
    const key = `${each.result}:${each.reason}`;
    const runs = (reasons.get(key)?.runs ?? 0) + each.runs;
    reasons.set(key, { ...each, runs });
  }
  return {
    done: values("done"),
    failed: values("failed"),
    skipped: values("skipped"),
    now: addUp(inside),
    before:
      since !== null && since <= range.before.from ? addUp(earlier) : undefined,
    reasons: [...reasons.values()].sort((one, other) => other.runs - one.runs),
    since,
  };
}

function addUp(rows: readonly Counts[]): Counts {
  const sum = (result: keyof Counts) =>
    rows.reduce((total, row) => total + row[result], 0);
  return { done: sum("done"), failed: sum("failed"), skipped: sum("skipped") };
}
