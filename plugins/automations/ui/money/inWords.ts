import { formatMoney } from "@gantry/ui-kit";
import type { SpendWindow, WorstCase } from "../wire.ts";

const runs = (count: number | null) =>
  count === null
    ? "any number of runs"
    : `${count} ${count === 1 ? "run" : "runs"}`;
const money = (usd: number | null) =>
  usd === null ? "any amount" : formatMoney(usd);

/** What rules and caps allow at most, in a sentence. */
export function worstCaseInWords(worst: WorstCase): string {
  if (worst.runsPerWeek === 0)
    return "Nothing sets it off by itself, so it spends nothing by itself.";
  if (worst.runsPerWeek === null && worst.weekUsd === null)
    return "Any number of runs, at any cost: nothing bounds them.";
  const day = `${runs(worst.runsPerDay)} and ${money(worst.dayUsd)} a day`;
  const week = `${runs(worst.runsPerWeek)} and ${money(worst.weekUsd)} a week`;
  return `At most ${day}, ${week}.`;
}

/** What was spent in a window, against its limit. */
export function spentInWords({
  spentUsd,
  limitUsd,
  unknownRuns,
}: SpendWindow): string {
  const spent = formatMoney(spentUsd);
  const known =
    limitUsd === null ? spent : `${spent} of ${formatMoney(limitUsd)}`;
  if (unknownRuns === 0) return known;
  const noun = unknownRuns === 1 ? "run" : "runs";
  return `${known}, and ${unknownRuns} ${noun} of unknown cost`;
}
