import type { AgentUsage } from "../../contract.ts";
import { checkAmount } from "../money.ts";
import type { AssistantMessage, PiUsage } from "./pi-wire.ts";

/**
 * What one message of the model cost. Everything that the model read counts as input, cached or not. `undefined` if
 * nothing is known: a message that was cut off reports zeros, which says nothing.
 *
 * @throws ReportFault for an amount that cannot be.
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

/** @throws ReportFault for an amount that cannot be. */
export function toUsage(usage: PiUsage): AgentUsage {
  const inputTokens =
    checkAmount(usage.input, "input tokens") +
    checkAmount(usage.cacheRead ?? 0, "cached input tokens") +
    checkAmount(usage.cacheWrite ?? 0, "cached input tokens");
  const outputTokens = checkAmount(usage.output, "output tokens");
  const costUsd =
    usage.cost === undefined ? null : checkAmount(usage.cost.total, "a cost");
  return { inputTokens, outputTokens, costUsd };
}
