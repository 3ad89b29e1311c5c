import type { Entry } from "../transcript/entry.ts";

const MAX_LAST_MESSAGE_CHARS = 300;

/** Collects the last `maxChars` characters of a conversation's messages from a stream of its entries. */
export class ConversationEnd {
  /** The beginning of the agent's last message; `null` if there is none. */
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
      this.lastMessage = text.slice(0, MAX_LAST_MESSAGE_CHARS);
    const said = `${role === "user" ? "User" : "Agent"}: ${text}`;
    this.#said.push(said);
    this.#chars += said.length;
    // Not for each entry, since joining copies all that is kept.
    if (this.#chars <= 4 * this.#maxChars) return;
    this.#said = [this.text];
    this.#chars = this.#maxChars;
  }
}
