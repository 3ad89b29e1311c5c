import type { SessionNews, TurnNews } from "../event-chain.ts";
import { PiTurn } from "./pi-turn.ts";
import { messageUsage, toContextTokens } from "./pi-usage.ts";
import type { AssistantMessage } from "./pi-wire.ts";

/** Where messages go. */
export interface PiMessagesHost {
  emit(event: TurnNews | SessionNews): Promise<void>;
  model(model: string): Promise<void>;
  /** What the model, if it is known, has read and written. */
  context(tokens: number, model: string | undefined): Promise<void>;
}

type Channel = "text" | "thinking";

interface Update {
  type: string;
  contentIndex?: number | undefined;
  delta?: string | undefined;
  content?: string | undefined;
}

const DELTA =
  /"assistantMessageEvent":\{"type":"(\w+_delta)","contentIndex":(\d+),"delta":("(?:[^"\\]|\\.)*")/;

/** Puts the pieces of the model's messages together. The finished message is what counts. */
export class PiMessages {
  readonly #host: PiMessagesHost;
  #turn = new PiTurn();
  /** Parts of the message at hand that were given whole already. */
  readonly #given = new Set<number>();
  #pieces = "";
  #model: string | undefined;

  constructor(host: PiMessagesHost) {
    this.#host = host;
  }

  beginTurn(): void {
    this.#turn = new PiTurn();
  }

  stopTurn(): void {
    this.#turn.stop();
  }

  endTurn(): TurnNews {
    const end = this.#turn.end();
    this.#turn = new PiTurn();
    return end;
  }

  start(role: string): void {
    if (role !== "assistant") return;
    this.#given.clear();
    this.#pieces = "";
  }

  async update({
    type,
    contentIndex = 0,
    delta,
    content,
  }: Update): Promise<void> {
    const match = /^(text|thinking)_(delta|end)$/.exec(type);
    if (!match) return;
    const channel = match[1] as Channel;
    if (match[2] === "delta") {
      if (!delta) return;
      if (channel === "text") this.#pieces += delta;
      await this.#host.emit({ type: "delta", channel, text: delta });
    } else if (content !== undefined) {
      this.#given.add(contentIndex);
      if (content !== "")
        await this.#host.emit({ type: "message", channel, text: content });
    }
  }

  /** Older versions repeat the whole message with each piece; the piece itself stands at the beginning of the line. */
  async updateUnread(head: string): Promise<void> {
    const match = DELTA.exec(head);
    if (!match) return;
    const [, type = "", contentIndex, delta = '""'] = match;
    await this.update({
      type,
      contentIndex: Number(contentIndex),
      delta: JSON.parse(delta) as string,
    });
  }

  async end(message: AssistantMessage): Promise<void> {
    for (const [index, part] of message.content.entries()) {
      if (this.#given.has(index) || part.type === "other") continue;
      const text = part.type === "text" ? part.text : part.thinking;
      if (text !== "")
        await this.#host.emit({ type: "message", channel: part.type, text });
    }
    this.#turn.take(message);
    const model =
      message.provider && message.model
        ? `${message.provider}/${message.model}`
        : undefined;
    if (model !== undefined && model !== this.#model) {
      this.#model = model;
      await this.#host.model(model);
    }
    const tokens = toContextTokens(message);
    if (tokens !== null) await this.#host.context(tokens, model);
    const usage = messageUsage(message);
    if (usage)
      await this.#host.emit({ type: "usage", usage, reportedCostUsd: null });
  }

  /** A message whose line was too long to read: its pieces are what is left of it. */
  async endUnread(head: string): Promise<void> {
    if (!/"role":"assistant"/.test(head)) return;
    this.#turn.takePieces(this.#pieces);
    if (this.#given.size === 0 && this.#pieces !== "") {
      await this.#host.emit({
        type: "message",
        channel: "text",
        text: this.#pieces,
      });
    }
    await this.#host.emit({
      type: "notice",
      text: "A message of the model was too long to read whole. What it cost is not counted.",
    });
  }
}
