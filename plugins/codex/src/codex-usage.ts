import { checkAmount, type AgentUsage } from "@gantry/agent-kit";
import type { CodexTokens } from "./codex-wire.ts";

/**
 * Converts the tokens of a thread, which Codex reports as a running total, into the spending since the previous report.
 */
export class CodexUsage {
  #total: { input: number; output: number } | undefined;

  /** Sets the baseline to a total that is not our spending, such as that of a loaded conversation. */
  rebase(total: CodexTokens): void {
    this.#total = read(total);
  }

  /** @throws ReportFault for an impossible amount */
  spent(total: CodexTokens, last: CodexTokens): AgentUsage {
    const now = read(total);
    const before = this.#total;
    this.#total = now;
    const grew =
      before && now.input >= before.input && now.output >= before.output;
    // The first report of a process, and the first after a compaction, use the last answer's tokens.
    const spent = grew
      ? { input: now.input - before.input, output: now.output - before.output }
      : read(last);
    return {
      inputTokens: spent.input,
      outputTokens: spent.output,
      costUsd: null,
    };
  }
}

function read({ inputTokens, outputTokens }: CodexTokens) {
  return {
    input: checkAmount(inputTokens, "input tokens"),
    output: checkAmount(outputTokens, "output tokens"),
  };
}
