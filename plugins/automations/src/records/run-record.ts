import type { CollectionDefinition } from "@gantry/plugin";
import { runView } from "../wire/run.ts";
import type { RunRecord } from "../wire/run.ts";

const NUMBER_DIGITS = 12;

/** A number whose text order is its number order. */
export function orderedNumber(value: number): string {
  return String(value).padStart(NUMBER_DIGITS, "0");
}

export const runCollection: CollectionDefinition<RunRecord> = {
  name: "run",
  version: 1,
  schema: runView,
  indexes: {
    automation: (run) => [run.automationId, orderedNumber(run.number)],
    running: (run) => (run.result === "running" ? [] : undefined),
  },
};
