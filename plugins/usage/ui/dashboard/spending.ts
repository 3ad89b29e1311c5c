import type { AgentUsage } from "../wire.ts";

/** What `GET /api/usage?by=day` answers, as far as it is shown. */
export interface UsageByDay {
  /** The last of its UTC days: today. */
  to: string;
  items: { key: string | null; turns: number; usage: AgentUsage }[];
  total: { turns: number; usage: AgentUsage };
}

/** What was spent in some days up to today. */
export interface Period {
  label: string;
  turns: number;
  usage: AgentUsage;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Sums a month day by day into periods that people think in. */
export function toPeriods({ to, items, total }: UsageByDay): Period[] {
  const since = (days: number) =>
    new Date(Date.parse(to) - (days - 1) * dayMs).toISOString().slice(0, 10);
  const sum = (label: string, days: number): Period =>
    items
      .filter(({ key }) => key !== null && key >= since(days))
      .reduce<Period>(
        (period, { turns, usage }) => ({
          label,
          turns: period.turns + turns,
          usage: addUsages(period.usage, usage),
        }),
        { label, turns: 0, usage: noUsage },
      );
  return [
    sum("Today", 1),
    sum("Last 7 days", 7),
    { label: "Last 30 days", ...total },
  ];
}

/** Nothing is known. */
export const noUsage: AgentUsage = {
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
};

/** The sum of two; what neither knows stays unknown. */
export function addUsages(one: AgentUsage, other: AgentUsage): AgentUsage {
  return {
    inputTokens: sumOf(one.inputTokens, other.inputTokens),
    outputTokens: sumOf(one.outputTokens, other.outputTokens),
    costUsd: sumOf(one.costUsd, other.costUsd),
  };
}

function sumOf(one: number | null, other: number | null): number | null {
  return one === null ? other : one + (other ?? 0);
}
