import { formatMoney, formatTokens } from "@gantry/ui-kit";
import type { AgentUsage } from "../wire.ts";

/** Formats tokens and cost. Unknown figures are left out, since "unknown" beside other figures looks like an error. */
export function describeUsage(usage: AgentUsage | null): string[] {
  if (!usage) return [];
  const { inputTokens, outputTokens, costUsd } = usage;
  return [
    ...(inputTokens === null ? [] : [`${formatTokens(inputTokens)} in`]),
    ...(outputTokens === null ? [] : [`${formatTokens(outputTokens)} out`]),
    ...(costUsd === null ? [] : [formatMoney(costUsd)]),
  ];
}
