import type { AgentNotes } from "../agents/agent-notes.ts";
import { cutText } from "../transcript/entry.ts";

/** Maximum length of the context before a prompt; the oldest parts beyond it are dropped. */
const MAX_CONTEXT_CHARS = 128 * 1024;

/** Text that the CLI gets before the next prompt, such as the output of commands that the user ran. */
export class PromptContext {
  readonly #notes: AgentNotes;

  constructor(notes: AgentNotes) {
    this.#notes = notes;
  }

  /** Adds text for the next prompt. */
  async add(agentId: string, text: string): Promise<void> {
    const part = cutText(text, MAX_CONTEXT_CHARS).text;
    await this.#notes.change(agentId, ({ context }) => {
      const parts = [...context, part];
      while (parts.join("").length > MAX_CONTEXT_CHARS) parts.shift();
      return { context: parts };
    });
  }

  /** The text for the next prompt; empty if there is none. */
  async before(agentId: string): Promise<string> {
    const { context } = await this.#notes.of(agentId);
    return join(context);
  }

  /** Removes text that the CLI received with a prompt. Text that was added meanwhile stays for the next prompt. */
  async given(agentId: string, text: string): Promise<void> {
    await this.#notes.change(agentId, ({ context }) => {
      const taken = context.findIndex(
        (_, index) => join(context.slice(0, index + 1)) === text,
      );
      return { context: context.slice(taken + 1) };
    });
  }
}

function join(parts: readonly string[]): string {
  return parts.map((part) => `${part}\n\n`).join("");
}
