import { checkAmount, type AgentUsage } from "@gantry/agent-kit";
import type { AssistantMessage, PiUsage } from "./pi-wire.ts";

/**
 * The usage of one message of the model. All input that the model read counts, cached or not.
 *
 * @returns `undefined` if nothing is known: an interrupted message reports zeros, which are not the usage
 * @throws ReportFault for an impossible amount
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

/** @throws ReportFault for an impossible amount */
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
