import type { AgentUsage } from "../../contract.ts";
import { checkAmount } from "../money.ts";
import type { AssistantMessage } from "./pi-wire.ts";

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
  const inputTokens =
    checkAmount(usage.input, "input tokens") +
    checkAmount(usage.cacheRead ?? 0, "cached input tokens") +
    checkAmount(usage.cacheWrite ?? 0, "cached input tokens");
  const outputTokens = checkAmount(usage.output, "output tokens");
  const costUsd =
    usage.cost === undefined ? null : checkAmount(usage.cost.total, "a cost");
  const wasCut = stopReason === "aborted" || stopReason === "error";
  if (wasCut && inputTokens === 0 && outputTokens === 0 && !costUsd)
    return undefined;
  return { inputTokens, outputTokens, costUsd };
}
