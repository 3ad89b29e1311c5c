import * as z from "zod";
import { addUsage, NO_USAGE } from "../live/usage.ts";
import type { TurnRecord } from "../records/turn-record.ts";
import { usageSchema } from "../transcript/entry.ts";

const count = z.number().int();

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

/** The part of a turn that is counted. */
type Counted = Pick<TurnRecord, "usage" | "stopReason">;

export function createSum(): UsageSum {
  return {
    turns: 0,
    ends: { end: 0, cancelled: 0, refused: 0, error: 0 },
    usage: NO_USAGE,
    unknown: { cost: 0, tokens: 0 },
  };
}

/** Counts a turn. */
export function countTurn(sum: UsageSum, { usage, stopReason }: Counted): void {
  sum.turns += 1;
  sum.ends[stopReason] += 1;
  sum.usage = addUsage(sum.usage, usage);
  if (isUnpriced(usage)) sum.unknown.cost += 1;
  if (isUncounted(usage)) sum.unknown.tokens += 1;
}

/** Adds what became known of a turn after it had been counted. */
export function countLate(
  sum: UsageSum,
  before: TurnRecord["usage"],
  late: TurnRecord["usage"],
): void {
  sum.usage = addUsage(sum.usage, late);
  if (isUnpriced(before) && !isUnpriced(late)) sum.unknown.cost -= 1;
  if (isUncounted(before) && !isUncounted(late)) sum.unknown.tokens -= 1;
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

const isUnpriced = ({ costUsd }: TurnRecord["usage"]) => costUsd === null;
const isUncounted = ({ inputTokens, outputTokens }: TurnRecord["usage"]) =>
  inputTokens === null && outputTokens === null;
