import type { Conversation, Conversations } from "./conversations.ts";
import { Performance } from "./performance.ts";
import { readScript } from "./script.ts";
import { PRACTICE_VERSION } from "./version.ts";
import { WireError, type Call, type Wire } from "./wire.ts";

/** An agent without a model: it does what the markers in a prompt say. Speaks the Agent Client Protocol. */
export class PracticeAgent {
  readonly #wire: Wire;
  readonly #conversations: Conversations;
  readonly #running = new Map<string, AbortController>();

  constructor(wire: Wire, conversations: Conversations) {
    this.#wire = wire;
    this.#conversations = conversations;
  }

  async handle({ method, params }: Call): Promise<unknown> {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: 1,
          agentInfo: {
            name: "gantry-practice",
            title: "Practice agent of Gantry, without a model",
            version: PRACTICE_VERSION,
          },
          agentCapabilities: {
            loadSession: this.#conversations.keeps,
            promptCapabilities: {
              image: true,
              audio: false,
              embeddedContext: false,
            },
          },
          authMethods: [],
        };
      case "session/new":
        return {
          sessionId: (await this.#conversations.begin(String(params["cwd"])))
            .id,
        };
      case "session/load":
        return await this.#load(
          String(params["sessionId"]),
          String(params["cwd"]),
        );
      case "session/prompt":
        return await this.#prompt(this.#find(params), params["prompt"]);
      case "session/cancel":
        return this.#running.get(String(params["sessionId"]))?.abort();
      default:
        throw new WireError(-32601, `practice: there is no method ${method}.`);
    }
  }

  /** Stops everything that runs. */
  stop(): void {
    for (const running of this.#running.values()) running.abort();
  }

  #find(params: Record<string, unknown>): Conversation {
    const conversation = this.#conversations.get(String(params["sessionId"]));
    if (!conversation)
      throw new WireError(-32002, "practice: there is no such conversation.");
    return conversation;
  }

  async #load(id: string, cwd: string): Promise<object> {
    const conversation = await this.#conversations.load(id, cwd);
    if (!conversation)
      throw new WireError(-32002, "practice: there is no such conversation.");
    const tell = (update: object) =>
      this.#wire.notify("session/update", { sessionId: id, update });
    for (const { role, text } of conversation.said) {
      tell({
        sessionUpdate: `${role}_message_chunk`,
        content: { type: "text", text },
      });
    }
    tell({
      sessionUpdate: "usage_update",
      used: 0,
      size: 0,
      cost: { amount: conversation.costUsd, currency: "USD" },
    });
    return {};
  }

  async #prompt(conversation: Conversation, prompt: unknown): Promise<object> {
    if (this.#running.has(conversation.id))
      throw new WireError(-32603, "practice: a prompt is at work already.");
    const cancel = new AbortController();
    this.#running.set(conversation.id, cancel);
    const performance = new Performance(
      this.#wire,
      this.#conversations,
      conversation,
      cancel.signal,
    );
    const { text, images } = readPrompt(prompt);
    try {
      await this.#conversations.say(conversation, { role: "user", text });
      const steps = readScript(text);
      if (steps.length > 0) await performance.play(steps);
      else performance.say(plainAnswer(text, images));
      return { stopReason: "end_turn" };
    } catch (error) {
      if (cancel.signal.aborted) return { stopReason: "cancelled" };
      throw error;
    } finally {
      if (performance.text)
        await this.#conversations.say(conversation, {
          role: "agent",
          text: performance.text,
        });
      this.#running.delete(conversation.id);
    }
  }
}

function plainAnswer(text: string, images: number): string {
  const pictures =
    images === 0
      ? ""
      : images === 1
        ? " (with 1 picture)"
        : ` (with ${images} pictures)`;
  return `practice: ${text.split("\n", 1)[0]?.trim() ?? ""}${pictures}`;
}

function readPrompt(prompt: unknown): { text: string; images: number } {
  const blocks = Array.isArray(prompt)
    ? (prompt as { type?: unknown; text?: unknown }[])
    : [];
  return {
    text: blocks
      .filter(({ type }) => type === "text")
      .map(({ text }) => String(text))
      .join("\n"),
    images: blocks.filter(({ type }) => type === "image").length,
  };
}
