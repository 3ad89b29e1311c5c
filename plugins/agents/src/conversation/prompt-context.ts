import type { AgentNotes } from "../agents/agent-notes.ts";
import { cutText } from "../transcript/entry.ts";

/** What goes before a prompt is at most so long; the oldest gives way. */
const MAX_CONTEXT = 128 * 1024;

/** What an agent is to know with the next prompt and was not told yet. */
export class PromptContext {
  readonly #notes: AgentNotes;

  constructor(notes: AgentNotes) {
    this.#notes = notes;
  }

  /** Adds something for the next prompt. */
  async add(agentId: string, text: string): Promise<void> {
    const part = cutText(text, MAX_CONTEXT).text;
    await this.#notes.change(agentId, ({ context }) => {
      const parts = [...context, part];
      while (parts.join("").length > MAX_CONTEXT) parts.shift();
      return { context: parts };
    });
  }

  /** What goes before the next prompt; nothing if there is nothing. */
  async before(agentId: string): Promise<string> {
    const { context } = await this.#notes.of(agentId);
    return join(context);
  }

  /** The CLI took this with a prompt: what came meanwhile goes with the next. */
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
