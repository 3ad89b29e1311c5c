import type { RunRecord } from "../../src/wire/run.ts";

/** Runs as short lines, oldest first: trigger, slot, result. */
export function inShort(runs: readonly RunRecord[]): string[] {
  return runs
    .toReversed()
    .map(({ trigger, slotAt, result, reason }) =>
      [trigger, slotAt?.replace(":00.000Z", "Z"), result, reason]
        .filter(Boolean)
        .join(" "),
    );
}
