import * as z from "zod";
import { addUsage, NO_USAGE } from "@gantry/agent-kit";
import type { TurnCharge } from "@gantry/plugin-agents/contract";

const count = z.number().int();

/** Tokens and money; unknown is `null`. */
const usageSchema = z.object({
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  costUsd: z.number().nullable(),
});

/** What some turns came to. */
export const usageSum = z.object({
  turns: count,
  /** How many turns ended in which way. */
  ends: z.object({
    end: count,
    cancelled: count,
    refused: count,
    error: count,
  }),
  /** What is known of it; `null` where nothing is. */
  usage: usageSchema,
  /** How many of the turns have no known cost, and how many no known tokens: `usage` is without them. */
  unknown: z.object({ cost: count, tokens: count }),
});

export type UsageSum = z.infer<typeof usageSum>;

export function createSum(): UsageSum {
  return {
    turns: 0,
    ends: { end: 0, cancelled: 0, refused: 0, error: 0 },
    usage: NO_USAGE,
    unknown: { cost: 0, tokens: 0 },
  };
}

/** Adds a charge: a turn that ended, or what became known of its usage later. */
export function addCharge(sum: UsageSum, charge: TurnCharge): void {
  const { usage, earlierUsage, stopReason } = charge;
  sum.usage = addUsage(sum.usage, usage);
  if (earlierUsage === null) {
    sum.turns += 1;
    sum.ends[stopReason] += 1;
    if (isUnpriced(usage)) sum.unknown.cost += 1;
    if (isUncounted(usage)) sum.unknown.tokens += 1;
    return;
  }
  if (isUnpriced(earlierUsage) && !isUnpriced(usage)) sum.unknown.cost -= 1;
  if (isUncounted(earlierUsage) && !isUncounted(usage)) sum.unknown.tokens -= 1;
}

/** Adds one sum to another. */
export function addSum(sum: UsageSum, other: UsageSum): void {
  sum.turns += other.turns;
  for (const end of ["end", "cancelled", "refused", "error"] as const)
    sum.ends[end] += other.ends[end];
  sum.usage = addUsage(sum.usage, other.usage);
  sum.unknown.cost += other.unknown.cost;
  sum.unknown.tokens += other.unknown.tokens;
}

const isUnpriced = ({ costUsd }: TurnCharge["usage"]) => costUsd === null;
const isUncounted = ({ inputTokens, outputTokens }: TurnCharge["usage"]) =>
  inputTokens === null && outputTokens === null;
