import type { DashboardRange } from "@gantry/ui-kit";
import type { UsageReport, UsageSum } from "../wire.ts";
import { addUsages, noUsage } from "./spending.ts";

/** What the dashboard draws of a range. */
export interface Figures {
  /** A sum for each hour or day of the range. */
  columns: UsageSum[];
  now: UsageSum;
  /** The same time before; `undefined` if not all of it was there to be counted. */
  before: UsageSum | undefined;
  /** The day of the first turn of all; `null` as long as there is none. */
  since: string | null;
}

const nothing: UsageSum = {
  turns: 0,
  ends: { end: 0, cancelled: 0, refused: 0, error: 0 },
  usage: noUsage,
  unknown: { cost: 0, tokens: 0 },
};

/** Tells a range from the time before it, in a report that has both. */
export function toFigures(
  { items, since }: Pick<UsageReport, "items" | "since">,
  range: Pick<DashboardRange, "from" | "before" | "times">,
): Figures {
  const rows = new Map(items.map((row) => [row.key, row]));
  const isOfRange = ({ key }: { key: string | null }) =>
    key !== null && key >= range.from;
  const isCovered = since !== null && since <= range.before.from;
  return {
    columns: range.times.map((time) => rows.get(time) ?? nothing),
    now: addUp(items.filter(isOfRange)),
    before: isCovered
      ? addUp(items.filter((row) => !isOfRange(row)))
      : undefined,
    since,
  };
}

function addUp(sums: readonly UsageSum[]): UsageSum {
  return sums.reduce(
    (total, { turns, ends, usage, unknown }) => ({
      turns: total.turns + turns,
      ends: {
        end: total.ends.end + ends.end,
        cancelled: total.ends.cancelled + ends.cancelled,
        refused: total.ends.refused + ends.refused,
        error: total.ends.error + ends.error,
      },
      usage: addUsages(total.usage, usage),
      unknown: {
        cost: total.unknown.cost + unknown.cost,
        tokens: total.unknown.tokens + unknown.tokens,
      },
    }),
    nothing,
  );
}

/** All tokens; `null` if none are known. */
export function tokensOf({ usage }: UsageSum): number | null {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens === null && outputTokens === null) return null;
  return (inputTokens ?? 0) + (outputTokens ?? 0);
}

/** `1 turn`, `3 turns`. */
export const turnsInWords = (count: number) =>
  `${count.toLocaleString("en-US")} ${count === 1 ? "turn" : "turns"}`;
