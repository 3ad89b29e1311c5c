import { formatMoney, formatTokens } from "@gantry/ui-kit";
import type { AgentUsage } from "../wire.ts";

/** Tokens and money in a few words each. What is unknown is left out: beside figures it would read as a fault. */
export function describeUsage(usage: AgentUsage | null): string[] {
  if (!usage) return [];
  const { inputTokens, outputTokens, costUsd } = usage;
  return [
    ...(inputTokens === null ? [] : [`${formatTokens(inputTokens)} in`]),
    ...(outputTokens === null ? [] : [`${formatTokens(outputTokens)} out`]),
    ...(costUsd === null ? [] : [formatMoney(costUsd)]),
  ];
}
