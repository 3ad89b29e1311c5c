import type { AgentUsage } from "../../agent-usage.ts";
import { readAmount, sumAmounts } from "../money.ts";
import type { CodexTokens } from "./codex-wire.ts";

/** Turns the tokens of a thread, which Codex counts on and on, into what was spent since the report before. */
export class CodexUsage {
  #total: Tokens | undefined;

  /** Takes a total that is not spending of ours: what comes with a conversation that was loaded. */
  rebase(total: CodexTokens): void {
    this.#total = read(total);
  }

  /** What was spent since the report before. */
  spent(total: CodexTokens, last: CodexTokens): AgentUsage {
    const now = read(total);
    const before = this.#total;
    this.#total = now;
    const grew =
      before && isKnown(before) && isKnown(now) && hasGrown(before, now);
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

/** What the model read and wrote last; `null` if that cannot be read. */
export function toContextTokens(last: CodexTokens): number | null {
  const { inputTokens, outputTokens, totalTokens } = last;
  return readAmount(totalTokens) ?? sumAmounts([inputTokens, outputTokens]);
}

interface Tokens {
  input: number | null;
  output: number | null;
}

interface KnownTokens {
  input: number;
  output: number;
}

function read({ inputTokens, outputTokens }: CodexTokens): Tokens {
  return { input: readAmount(inputTokens), output: readAmount(outputTokens) };
}

function isKnown(tokens: Tokens): tokens is KnownTokens {
  return tokens.input !== null && tokens.output !== null;
}

function hasGrown(before: KnownTokens, now: KnownTokens): boolean {
  return now.input >= before.input && now.output >= before.output;
}
