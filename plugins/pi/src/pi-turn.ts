import type { TurnNews } from "@gantry/agent-kit";
import type { AssistantMessage } from "./pi-wire.ts";

type TurnEnd = Extract<TurnNews, { type: "turn-ended" }>;

/** Collects from the messages of a running turn how it will have ended. */
export class PiTurn {
  #answer = "";
  #stopReason = "stop";
  #error: string | null = null;
  #wasStopped = false;

  /** Adds a complete message. The last one decides. */
  take(message: AssistantMessage): void {
    const text = message.content
      .map((part) => (part.type === "text" ? part.text : ""))
      .join("");
    this.#stopReason = message.stopReason ?? "stop";
    this.#answer = text;
    this.#error = message.errorMessage ?? null;
  }

  /** Adds a message of which only the pieces are known, because its line was too long. */
  takePieces(text: string): void {
    this.#answer = text;
    this.#stopReason = "stop";
    this.#error = null;
  }

  /** Records that the turn was asked to stop. */
  stop(): void {
    this.#wasStopped = true;
  }

  end(): TurnEnd {
    const answer = this.#answer;
    // Some versions report a stop during a tool call as a failed request.
    const isStopped = this.#wasStopped && this.#stopReason === "error";
    switch (isStopped ? "aborted" : this.#stopReason) {
      case "error":
        return {
          type: "turn-ended",
          stopReason: "error",
          answer,
          error: this.#error ?? "The model failed without a reason.",
        };
      case "aborted":
        return {
          type: "turn-ended",
          stopReason: "cancelled",
          answer,
          error: null,
        };
      default:
        return { type: "turn-ended", stopReason: "end", answer, error: null };
    }
  }
}
