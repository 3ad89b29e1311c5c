import type { AgentUsage } from "../agent-usage.ts";
import { roundMoney } from "../drivers/money.ts";

export const NO_USAGE: AgentUsage = {
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
};

/** The sum of two; what neither knows stays unknown. */
export function addUsage(left: AgentUsage, right: AgentUsage): AgentUsage {
  const cost = add(left.costUsd, right.costUsd);
  return {
    inputTokens: add(left.inputTokens, right.inputTokens),
    outputTokens: add(left.outputTokens, right.outputTokens),
    costUsd: cost === null ? null : roundMoney(cost),
  };
}

function add(left: number | null, right: number | null): number | null {
  if (left === null) return right;
  return right === null ? left : left + right;
}
