import * as z from "zod";

/** The plugin's section of the configuration. */
export const automationsConfig = z.strictObject({
  limits: z
    .strictObject({
      /** Runs that may be active at once; more wait for a free slot. */
      concurrentRuns: z.number().int().min(1).max(64).default(4),
      /** Runs of one automation that are kept; older ones are forgotten. */
      runsKept: z.number().int().min(1).max(1_000_000).default(5_000),
      /** Runs that were fired longer ago are forgotten. */
      runDays: z.number().int().min(1).max(36_500).default(365),
      /** Calls of one webhook that are kept: this many that started a run, and as many that did not. */
      callsKept: z.number().int().min(1).max(1_000_000).default(10_000),
      /** What drafting an automation from a description may cost. */
      draftCostUsd: z.number().positive().max(1_000).default(1),
      /** How long drafting one may take. */
      draftMinutes: z.number().min(0.1).max(60).default(5),
      automations: z.number().int().min(1).max(100_000).default(10_000),
    })
    .prefault({}),
});

export type AutomationsConfig = z.infer<typeof automationsConfig>;
