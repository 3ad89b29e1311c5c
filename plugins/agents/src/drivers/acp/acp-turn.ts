import type { TurnNews } from "../event-chain.ts";
import {
  contentText,
  toolOutput,
  type SessionUpdate,
  type ToolUpdate,
} from "./acp-updates.ts";

type Channel = "text" | "thinking";
type Emit = (event: TurnNews) => Promise<void>;

/** What was said of a tool so far. */
export interface KnownTool {
  name: string | null;
  kind: string | null;
  title: string | null;
  rawInput: unknown;
}

interface OpenTool extends KnownTool {
  output: string;
  hasEnded: boolean;
  /** The last report of it. */
  told: string;
}

/** Puts the pieces of a turn together: texts grow until something else comes; the last one is the answer. */
export class AcpTurn {
  readonly #emit: Emit;
  readonly #tools = new Map<string, OpenTool>();
  #channel: Channel | undefined;
  #messageId: string | null = null;
  #pieces = "";
  /** What was said after the last tool call. */
  #answer = "";

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  get answer(): string {
    return this.#answer;
  }

  /** Whether a tool runs. */
  get hasTool(): boolean {
    return [...this.#tools.values()].some(({ hasEnded }) => !hasEnded);
  }

  /** Takes over what is known of tools that an earlier turn left running. */
  takeOver({ tools }: AcpTurn): void {
    for (const [callId, tool] of tools)
      if (!tool.hasEnded) this.#tools.set(callId, { ...tool, told: "" });
  }

  private get tools(): ReadonlyMap<string, OpenTool> {
    return this.#tools;
  }

  /** What is known of a tool that was reported in this turn. */
  tool(callId: string): KnownTool | undefined {
    return this.#tools.get(callId);
  }

  async take(update: SessionUpdate): Promise<void> {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        // The agent repeats the prompt, which says no more than that it has it.
        return;
      case "agent_message_chunk":
        return await this.#chunk(
          "text",
          contentText(update.content),
          update.messageId ?? null,
        );
      case "agent_thought_chunk":
        return await this.#chunk(
          "thinking",
          contentText(update.content),
          update.messageId ?? null,
        );
      case "tool_call":
      case "tool_call_update":
        return await this.#tool(update);
    }
  }

  /** Gives the text at hand as finished. */
  async flush(): Promise<void> {
    const channel = this.#channel;
    const text = this.#pieces;
    this.#channel = undefined;
    this.#pieces = "";
    if (channel && text !== "")
      await this.#emit({ type: "message", channel, text });
  }

  async #chunk(
    channel: Channel,
    text: string,
    messageId: string | null,
  ): Promise<void> {
    if (channel !== this.#channel || messageId !== this.#messageId)
      await this.flush();
    this.#channel = channel;
    this.#messageId = messageId;
    if (text === "") return;
    this.#pieces += text;
    if (channel === "text") this.#answer += text;
    await this.#emit({ type: "delta", channel, text });
  }

  async #tool(update: ToolUpdate): Promise<void> {
    await this.flush();
    const callId = update.toolCallId;
    let tool = this.#tools.get(callId);
    if (!tool) {
      tool = {
        name: null,
        kind: null,
        title: null,
        rawInput: undefined,
        output: "",
        hasEnded: false,
        told: "",
      };
      this.#tools.set(callId, tool);
      this.#answer = "";
    }
    if (tool.hasEnded) return;
    tool.name = update.name ?? tool.name;
    tool.kind = update.kind ?? tool.kind;
    tool.title = update.title ?? tool.title;
    tool.rawInput = update.rawInput ?? tool.rawInput;
    await this.#tell(callId, tool);
    const output = toolOutput(update);
    if (output !== undefined) tool.output = output;
    const failed = update.status === "failed";
    if (failed || update.status === "completed") {
      tool.hasEnded = true;
      await this.#emit({
        type: "tool-ended",
        callId,
        failed,
        output: tool.output,
      });
    } else if (output !== undefined) {
      await this.#emit({ type: "tool-progress", callId, output });
    }
  }

  /** Reports a tool, and again when more is known of it: some agents send its input after its name. */
  async #tell(callId: string, tool: OpenTool): Promise<void> {
    const name = tool.name ?? tool.kind ?? "tool";
    const title = tool.title ?? name;
    const input =
      tool.rawInput === undefined ? "" : JSON.stringify(tool.rawInput);
    const told = JSON.stringify([name, title, input]);
    if (told === tool.told) return;
    tool.told = told;
    await this.#emit({ type: "tool-started", callId, name, title, input });
  }
}
