import type { TurnNews } from "../event-chain.ts";
import type { AssistantMessage } from "./pi-wire.ts";

type TurnEnd = Extract<TurnNews, { type: "turn-ended" }>;

/** What the messages of a running turn say about how it will have ended. */
export class PiTurn {
  #answer = "";
  #stopReason = "stop";
  #error: string | null = null;
  #wasStopped = false;

  /** Takes a finished message. The last one decides. */
  take(message: AssistantMessage): void {
    const text = message.content
      .map((part) => (part.type === "text" ? part.text : ""))
      .join("");
    this.#stopReason = message.stopReason ?? "stop";
    this.#answer = text;
    this.#error = message.errorMessage ?? null;
  }

  /** Takes a message of which only the pieces are known, because its line was too long. */
  takePieces(text: string): void {
    this.#answer = text;
    this.#stopReason = "stop";
    this.#error = null;
  }

  /** It was told to stop. */
  stop(): void {
    this.#wasStopped = true;
  }

  end(): TurnEnd {
    const answer = this.#answer;
    // A stop in the middle of a tool comes back as a failed request in some versions.
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
