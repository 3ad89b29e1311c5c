import type { AgentUsage } from "../../contract.ts";
import { checkAmount } from "../money.ts";
import type { CodexTokens } from "./codex-wire.ts";

/** Turns the tokens of a thread, which Codex counts on and on, into what was spent since the report before. */
export class CodexUsage {
  #total: { input: number; output: number } | undefined;

  /** Takes a total that is not spending of ours: what comes with a conversation that was loaded. */
  rebase(total: CodexTokens): void {
    this.#total = read(total);
  }

  /** @throws ReportFault for an amount that cannot be. */
  spent(total: CodexTokens, last: CodexTokens): AgentUsage {
    const now = read(total);
    const before = this.#total;
    this.#total = now;
    const grew =
      before && now.input >= before.input && now.output >= before.output;
    // The first report of a process, and one after a compaction, go by what the last answer took.
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
