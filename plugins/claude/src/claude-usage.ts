import {
  checkAmount,
  type CostMeter,
  type SessionNews,
} from "@gantry/agent-kit";
import type { ClaudeResult } from "./claude-wire.ts";

/**
 * Spending since the previous result. All input that the model read counts, cached or not.
 *
 * @returns `undefined` if nothing is known: a stopped turn reports nothing for the interrupted message
 * @throws ReportFault for an impossible amount
 */
export function toUsage(
  { total_cost_usd: total, usage }: ClaudeResult,
  meter: CostMeter,
  isStopped: boolean,
): Extract<SessionNews, { type: "usage" }> | undefined {
  const reported = total === undefined ? null : checkAmount(total, "a cost");
  const costUsd = reported === null ? null : meter.spent(reported);
  const inputTokens = usage
    ? checkAmount(usage.input_tokens ?? 0, "input tokens") +
      checkAmount(usage.cache_creation_input_tokens ?? 0, "cached tokens") +
      checkAmount(usage.cache_read_input_tokens ?? 0, "cached tokens")
    : null;
  const outputTokens = usage
    ? checkAmount(usage.output_tokens ?? 0, "output tokens")
    : null;
  if (isStopped && !costUsd && !inputTokens && !outputTokens) return undefined;
  return {
    type: "usage",
    usage: { inputTokens, outputTokens, costUsd },
    reportedCostUsd: reported,
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
  const said = result || errors?.join("\n");
  if (said) return said;
  return REASONS[subtype] ?? `Claude Code ended the turn with ${subtype}.`;
}

const REASONS: Readonly<Record<string, string>> = {
  error_during_execution: "Claude Code stopped in the middle of its work.",
  error_max_turns: "Claude Code has reached its limit of steps.",
  error_max_budget_usd: "Claude Code has reached its limit of cost.",
};
