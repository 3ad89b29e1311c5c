import type { Conversation, Conversations } from "./conversations.ts";
import { COMMANDS } from "./commands.ts";
import { playPrompt } from "./play-prompt.ts";
import { readServers, ToolServers } from "./tool-servers.ts";
import { PRACTICE_VERSION } from "./version.ts";
import { WireError, type Call, type Wire } from "./wire.ts";

const NOT_FOUND = "practice: there is no such conversation.";

/** By this a client says how many prompts a copy is to keep. The protocol itself copies all. */
const KEEP_PROMPTS = "gantry.keepPrompts";

/** By this an agent says that nothing of a turn comes after the answer to its prompt. */
const ANSWERS_LAST = "gantry.answersLast";

/** An agent without a model: it does what the markers in a prompt say. Speaks the Agent Client Protocol. */
export class PracticeAgent {
  readonly #wire: Wire;
  readonly #conversations: Conversations;
  readonly #running = new Map<string, AbortController>();
  /** The tool servers of each conversation. */
  readonly #tools = new Map<string, ToolServers>();

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
            _meta: { [ANSWERS_LAST]: true },
            sessionCapabilities: {
              fork: { _meta: { [KEEP_PROMPTS]: true } },
            },
          },
          authMethods: [],
        };
      case "session/new": {
        const { id } = await this.#conversations.begin(String(params["cwd"]));
        this.#giveTools(id, params);
        return { sessionId: this.#introduce(id) };
      }
      case "session/fork":
        return await this.#fork(params);
      case "session/load":
        return await this.#load(params);
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
    for (const tools of this.#tools.values()) tools.stop();
  }

  #giveTools(id: string, params: Record<string, unknown>): void {
    this.#tools.get(id)?.stop();
    this.#tools.set(id, new ToolServers(readServers(params["mcpServers"])));
  }

  #find(params: Record<string, unknown>): Conversation {
    const conversation = this.#conversations.get(String(params["sessionId"]));
    if (!conversation) throw new WireError(-32002, NOT_FOUND);
    return conversation;
  }

  async #load(params: Record<string, unknown>): Promise<object> {
    const id = String(params["sessionId"]);
    const cwd = String(params["cwd"]);
    const conversation = await this.#conversations.load(id, cwd);
    if (!conversation) throw new WireError(-32002, NOT_FOUND);
    this.#giveTools(id, params);
    this.#introduce(id);
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

  async #fork(params: Record<string, unknown>): Promise<object> {
    const id = String(params["sessionId"]);
    const cwd = String(params["cwd"]);
    const from =
      this.#conversations.get(id) ?? (await this.#conversations.load(id, cwd));
    if (!from) throw new WireError(-32002, NOT_FOUND);
    const meta = params["_meta"] as Record<string, unknown> | null | undefined;
    const keep = meta?.[KEEP_PROMPTS];
    const copy = await this.#conversations.fork(
      from,
      cwd,
      typeof keep === "number" ? keep : null,
    );
    this.#giveTools(copy.id, params);
    return { sessionId: this.#introduce(copy.id) };
  }

  /** Reports the commands, before the answer that names the conversation, so that a client knows them from the start. */
  #introduce(sessionId: string): string {
    this.#wire.notify("session/update", {
      sessionId,
      update: {
        sessionUpdate: "available_commands_update",
        availableCommands: COMMANDS,
      },
    });
    return sessionId;
  }

  async #prompt(conversation: Conversation, prompt: unknown): Promise<object> {
    if (this.#running.has(conversation.id))
      throw new WireError(-32603, "practice: a prompt is running already.");
    const cancel = new AbortController();
    this.#running.set(conversation.id, cancel);
    try {
      await playPrompt(readPrompt(prompt), {
        audience: this.#wire,
        conversations: this.#conversations,
        conversation,
        tools: this.#tools.get(conversation.id) ?? new ToolServers(),
        signal: cancel.signal,
      });
      return { stopReason: "end_turn" };
    } catch (error) {
      if (cancel.signal.aborted) return { stopReason: "cancelled" };
      throw error;
    } finally {
      this.#running.delete(conversation.id);
    }
  }
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
