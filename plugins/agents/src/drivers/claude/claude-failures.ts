import type { UsageWindow } from "../../driver-reports.ts";
import { isRejected, toProblem, toTime, toWindow } from "./claude-limits.ts";
import type { ClaudeTurn } from "./claude-turn.ts";
import type { ClaudeMessage, ClaudeRateLimit } from "./claude-wire.ts";

/** Why turns fail, by the marks that Claude Code gives: on words, and on the limits of the subscription. */
export class ClaudeFailures {
  /** The limit that refuses requests, until one is let through. */
  #limit: { resetsAt: string | null } | undefined;

  /** Takes a report on a limit, and returns it as it is shown. */
  limited(limit: ClaudeRateLimit): UsageWindow {
    const resetsAt = toTime(limit.resetsAt);
    this.#limit = isRejected(limit) ? { resetsAt } : undefined;
    return toWindow(limit);
  }

  /** The model works, so that nothing refuses requests. */
  letThrough(): void {
    this.#limit = undefined;
  }

  /** Takes the message of a failed request, which becomes part of the end of the turn. */
  mark(turn: ClaudeTurn, { error, message }: ClaudeMessage): void {
    const words = message.content
      .map((part) => (part.type === "text" ? part.text : ""))
      .join("");
    const mark = typeof error === "string" ? error : JSON.stringify(error);
    const problem = toProblem(mark, this.#limit?.resetsAt ?? null);
    const said = words || `The request to the model failed: ${mark}.`;
    turn.failure = { words: said, problem };
  }

  /** Why a turn failed, by its result and by the marks before that; `null` if it did not. */
  of(
    { failure }: ClaudeTurn,
    told: string | null,
    answer: string,
  ): ClaudeTurn["failure"] | null {
    if (failure) return { ...failure, words: told ?? failure.words };
    if (this.#limit) {
      const { resetsAt } = this.#limit;
      const words = told ?? (answer || "The usage limit is reached.");
      return { words, problem: { kind: "usage-limit", resetsAt } };
    }
    return told === null ? null : { words: told, problem: null };
  }
}
