import { roundMoney } from "./money.ts";

/** Tokens and money of a turn, a run or an agent. Unknown is `null`, never 0. */
export interface AgentUsage {
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
}

/** Usage of which nothing is known. */
export const NO_USAGE: AgentUsage = {
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
};

/** The sum of two usages; a figure that neither has stays unknown. */
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
