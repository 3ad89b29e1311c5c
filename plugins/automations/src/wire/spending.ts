import * as z from "zod";

const MAX_USD = 1_000_000;
const limit = z.number().positive().max(MAX_USD).nullable();

/** What all automations together may spend; `null` for no limit. */
export const spendLimits = z.object({
  /** In any 24 hours. */
  maxDailyUsd: limit,
  /** In any 7 days. */
  maxWeeklyUsd: limit,
});

export type SpendLimits = z.infer<typeof spendLimits>;

export const spendLimitsInput = z.strictObject(spendLimits.shape);

const windowView = z.object({
  limitUsd: z.number().nullable(),
  spentUsd: z.number(),
  /** What runs that are going may still spend. */
  promisedUsd: z.number(),
  /** Runs whose CLI did not say what they cost. */
  unknownRuns: z.number().int(),
  /** `unknown`: under the limit as far as costs are known. */
  state: z.enum(["under", "over", "unknown"]),
});

export type SpendWindow = z.infer<typeof windowView>;

/** What rules and caps allow at most; `null` where nothing bounds it. */
export const worstCase = z.object({
  runsPerDay: z.number().nullable(),
  runsPerWeek: z.number().nullable(),
  dayUsd: z.number().nullable(),
  weekUsd: z.number().nullable(),
});

export type WorstCase = z.infer<typeof worstCase>;

export const spendingView = z.object({
  limits: spendLimits,
  day: windowView,
  week: windowView,
  worstCase: worstCase.extend({
    /** Automations that are on and that nothing bounds. */
    unbounded: z.number().int(),
  }),
});

export type SpendingView = z.infer<typeof spendingView>;
