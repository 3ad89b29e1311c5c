import { toContextReport, type ContextReport } from "../context-report.ts";
import { sumAmounts } from "../money.ts";
import type { ClaudeMessage, ClaudeResult } from "./claude-wire.ts";

/**
 * How full the context of the conversation is. Each message of the model says what it read; how much that model can take is known
 * only from the result of a turn.
 */
export class ClaudeContext {
  #sizes: NonNullable<ClaudeResult["modelUsage"]> = {};
  /** The newest message since the result before. */
  #newest: { model: string | undefined; tokens: number } | undefined;

  /** @param main The model of the conversation, by its full name. */
  read(
    { message: { model, usage } }: ClaudeMessage,
    main: string | undefined,
  ): ContextReport | undefined {
    const tokens = sumAmounts([
      usage?.input_tokens,
      usage?.cache_creation_input_tokens,
      usage?.cache_read_input_tokens,
      usage?.output_tokens,
    ]);
    // Words of Claude Code itself, which the model did not say, have a usage of zeros.
    if (!tokens) return undefined;
    this.#newest = { model, tokens };
    return this.#report(main);
  }

  /** A turn is over: what was read in it is reported again, with the size. */
  ended(
    { modelUsage }: ClaudeResult,
    main: string | undefined,
  ): ContextReport | undefined {
    this.#sizes = modelUsage ?? this.#sizes;
    const report = this.#report(main);
    this.#newest = undefined;
    return report;
  }

  #report(main: string | undefined): ContextReport | undefined {
    if (!this.#newest) return undefined;
    const { model = "", tokens } = this.#newest;
    // The full name may have a mark for a larger context, such as `[1m]`, which the messages do not repeat.
    const full = main?.startsWith(model) ? this.#sizes[main] : undefined;
    const known = full ?? this.#sizes[model];
    return toContextReport(tokens, known?.contextWindow);
  }
}
