import type { AgentUsage } from "../../agent-usage.ts";
import { readAmount, sumAmounts } from "../money.ts";
import type { AssistantMessage, PiUsage } from "./pi-wire.ts";

/**
 * What one message of the model cost. Everything that the model read counts as input, cached or not. `undefined` if
 * nothing is known: a message that was cut off reports zeros, which says nothing.
 */
export function messageUsage({
  usage,
  stopReason,
}: AssistantMessage): AgentUsage | undefined {
  if (!usage) return undefined;
  const spent = toUsage(usage);
  const isZero =
    spent.inputTokens === 0 && spent.outputTokens === 0 && !spent.costUsd;
  return isCut(stopReason) && isZero ? undefined : spent;
}

/** What the model read and wrote for a message; `null` if nothing is known, as of one that was cut off. */
export function toContextTokens({
  usage,
  stopReason,
}: AssistantMessage): number | null {
  if (!usage || isCut(stopReason)) return null;
  const { input, output, cacheRead, cacheWrite, totalTokens } = usage;
  const sum = sumAmounts([input, output, cacheRead, cacheWrite]);
  return readAmount(totalTokens) || sum || null;
}

const isCut = (stopReason: string | undefined): boolean =>
  stopReason === "aborted" || stopReason === "error";

/** What pi reports of spending; what cannot be read is unknown. */
export function toUsage(usage: PiUsage): AgentUsage {
  return {
    inputTokens: sumAmounts([usage.input, usage.cacheRead, usage.cacheWrite]),
    outputTokens: sumAmounts([usage.output]),
    costUsd: readAmount(usage.cost?.total),
  };
}
