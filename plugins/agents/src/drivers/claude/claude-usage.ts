import type { SessionNews } from "../event-chain.ts";
import { readAmount, sumAmounts, type CostMeter } from "../money.ts";
import type { ClaudeResult } from "./claude-wire.ts";

/**
 * What was spent since the result before. Everything that the model read counts as input, cached or not. `undefined` if
 * nothing is known: a turn that was stopped reports nothing of what was cut off.
 */
export function toUsage(
  { total_cost_usd: total, usage }: ClaudeResult,
  meter: CostMeter,
  isStopped: boolean,
): Extract<SessionNews, { type: "usage" }> | undefined {
  const costUsd = meter.spent(total);
  const inputTokens = sumAmounts([
    usage?.input_tokens,
    usage?.cache_creation_input_tokens,
    usage?.cache_read_input_tokens,
  ]);
  const outputTokens = sumAmounts([usage?.output_tokens]);
  if (isStopped && !costUsd && !inputTokens && !outputTokens) return undefined;
  return {
    type: "usage",
    usage: { inputTokens, outputTokens, costUsd },
    reportedCostUsd: meter.total,
  };
}

/** Why a turn failed, `null` if it did not. */
export function failureOf({
  subtype,
  is_error: isError,
  result,
  errors,
}: ClaudeResult): string | null {
  if (!isError && subtype === "success") return null;
  const said =
    result ||
    errors
      ?.map((error) =>
        typeof error === "string" ? error : JSON.stringify(error),
      )
      .join("\n");
  if (said) return said;
  return REASONS[subtype] ?? `Claude Code ended the turn with ${subtype}.`;
}

/** Whether a result ends nothing: the model had no turn and said nothing, as with a notice that was pending. */
export function isNothing(line: ClaudeResult): boolean {
  const hasWords = (line.result ?? "").trim() !== "";
  return (
    failureOf(line) === null && !hasWords && readAmount(line.num_turns) === 0
  );
}

const REASONS: Readonly<Record<string, string>> = {
  error_during_execution: "Claude Code stopped in the middle of its work.",
  error_max_turns: "Claude Code has reached its limit of steps.",
  error_max_budget_usd: "Claude Code has reached its limit of cost.",
};
