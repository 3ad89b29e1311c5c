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
  const wasCut = stopReason === "aborted" || stopReason === "error";
  const isZero =
    spent.inputTokens === 0 && spent.outputTokens === 0 && !spent.costUsd;
  return wasCut && isZero ? undefined : spent;
}

/** What pi reports of spending; what cannot be read is unknown. */
export function toUsage(usage: PiUsage): AgentUsage {
  return {
    inputTokens: sumAmounts([usage.input, usage.cacheRead, usage.cacheWrite]),
    outputTokens: sumAmounts([usage.output]),
    costUsd: readAmount(usage.cost?.total),
  };
}
