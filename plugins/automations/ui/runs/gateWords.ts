import { formatDuration, formatMoney } from "@gantry/ui-kit";
import type { Gate } from "../wire.ts";

const titles: Record<Gate["gate"], string> = {
  enabled: "Switched on",
  busy: "Not busy",
  "rate-cap": "Caps on runs",
  "spend-limit": "Spend limits",
  target: "Agent",
  "cli-missing": "Agent CLI",
  start: "Start",
  outcome: "Outcome",
};

/** The name of a gate. */
export const gateTitle = (gate: Gate): string => titles[gate.gate];

/** The figures of a gate that say more than its sentence, in words. */
export function figuresInWords({ gate, verdict, figures }: Gate): string[] {
  const number = (name: string) => {
    const value = figures[name];
    return typeof value === "number" ? value : undefined;
  };
  const words: string[] = [];
  if (gate === "enabled") {
    const offset = number("offsetMs");
    const late = number("lateMs");
    if (offset !== undefined) words.push(`offset ${formatDuration(offset)}`);
    if (late !== undefined && late >= 1000)
      words.push(`${formatDuration(late)} late`);
  }
  // A cap that is reached says its figures in the sentence.
  if (gate === "rate-cap" && verdict === "passed") {
    for (const window of ["Hour", "Day", "Week"]) {
      const cap = number(`maxRunsPer${window}`);
      if (cap !== undefined)
        words.push(
          `${number(`runsInLast${window}`) ?? 0} of ${cap} in the last ${window.toLowerCase()}`,
        );
    }
  }
  if (gate === "start" || gate === "outcome") {
    const cap = number("maxCostUsd");
    const duration = number("durationMs");
    if (gate === "outcome" && "costUsd" in figures)
      words.push(`cost ${formatMoney(number("costUsd"))}`);
    if (cap !== undefined) words.push(`cap ${formatMoney(cap)}`);
    if (duration !== undefined) words.push(`took ${formatDuration(duration)}`);
    const limit = number("timeoutMs");
    if (gate === "start" && limit !== undefined)
      words.push(`time limit ${formatDuration(limit)}`);
    const asked = number("permissionsAsked");
    if (asked !== undefined && asked > 0)
      words.push(`${asked} permission${asked === 1 ? "" : "s"} asked for`);
  }
  return words;
}
