import type { Entry } from "../transcript/entry.ts";

const MAX_LAST_MESSAGE = 300;

/** Keeps the end of what was said in a conversation, while its entries pass by. */
export class ConversationEnd {
  /** The beginning of what the agent said last; `null` if it said nothing. */
  lastMessage: string | null = null;
  readonly #maxChars: number;
  #said: string[] = [];
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get text(): string {
    return this.#said.join("\n\n").slice(-this.#maxChars);
  }

  take({ role, kind, text }: Entry): void {
    if (kind !== "text") return;
    if (role === "assistant")
      this.lastMessage = text.slice(0, MAX_LAST_MESSAGE);
    const said = `${role === "user" ? "User" : "Agent"}: ${text}`;
    this.#said.push(said);
    this.#chars += said.length;
    // Not each time: to join costs what is kept.
    if (this.#chars <= 4 * this.#maxChars) return;
    this.#said = [this.text];
    this.#chars = this.#maxChars;
  }
}
