import { createIdentifier } from "@gantry/plugin";
import type { AgentUsage } from "../contract.ts";
import { cutText, type NewEntry } from "../transcript/entry.ts";
import { addUsage, NO_USAGE } from "@gantry/agent-kit";

type Channel = "text" | "thinking";

/** How a turn ended. */
export interface TurnOutcome {
  stopReason: "end" | "cancelled" | "refused" | "error";
  answer: string;
  error: string | null;
  usage: AgentUsage;
  sessionId: string | null;
  /** Set if the turn was discarded, because the CLI does not have its prompt, which is queued again. */
  isVoid?: true;
}

/** The ids of a turn, of its task and of its run, and when it started. */
export interface TurnOrigin {
  id: string;
  taskId: string | null;
  runId: string | null;
  startedAt: string;
}

interface Piece {
  entryId: string;
  text: string;
  truncated?: true;
}

/** New output of a running tool. */
export interface ToolOutput {
  entryId: string;
  text: string;
  /** Whether it replaces the output so far. */
  isWhole: boolean;
}

/** Length of the end of a running tool's output that is kept for viewers. */
const MAX_LIVE_OUTPUT_CHARS = 64 * 1024;

interface OpenTool {
  entryId: string;
  callId: string;
  name: string;
  title: string;
  input: string;
  output: string;
}

/** A turn in progress: its incomplete texts and tools, its usage, and its outcome. */
export class Turn {
  readonly origin: TurnOrigin;
  readonly outcome: Promise<TurnOutcome>;
  usage: AgentUsage = NO_USAGE;
  /** Whether sending its prompt to the CLI has begun. */
  isSent = false;
  /** Whether a stop was requested. */
  isStopped = false;
  /** Whether the CLI has reported work of it. */
  hasWorked = false;
  readonly #pieces = new Map<Channel, Piece>();
  readonly #tools = new Map<string, OpenTool>();
  /** The last complete output of each running tool, by call id, for CLIs that repeat it. */
  readonly #wholes = new Map<string, string>();
  #resolve!: (outcome: TurnOutcome) => void;

  constructor(origin: TurnOrigin) {
    this.origin = origin;
    this.outcome = new Promise((resolve) => (this.#resolve = resolve));
  }

  get id(): string {
    return this.origin.id;
  }

  spend(usage: AgentUsage): void {
    this.usage = addUsage(this.usage, usage);
  }

  /** Appends a piece of a text. Returns the id of its future entry. */
  grow(channel: Channel, text: string): string {
    this.hasWorked = true;
    let piece = this.#pieces.get(channel);
    if (!piece) {
      piece = { entryId: createIdentifier("ent"), text: "" };
      this.#pieces.set(channel, piece);
    }
    Object.assign(piece, cutText(piece.text + text));
    return piece.entryId;
  }

  /** Ends a text and returns its entry. */
  complete(channel: Channel, text: string): NewEntry {
    this.hasWorked = true;
    const id = this.#pieces.get(channel)?.entryId;
    this.#pieces.delete(channel);
    return {
      id,
      turnId: this.id,
      role: "assistant",
      kind: channel,
      ...cutText(text),
    };
  }

  beginTool(tool: {
    callId: string;
    name: string;
    title: string;
    input: string;
  }): OpenTool {
    this.hasWorked = true;
    // Some agents report the input of a tool in a second event.
    const known = this.#tools.get(tool.callId);
    const open = {
      entryId: known?.entryId ?? createIdentifier("ent"),
      callId: tool.callId,
      name: cutText(tool.name, 200).text,
      title: cutText(tool.title, 1000).text,
      input: cutText(tool.input, 64 * 1024).text,
      output: known?.output ?? "",
    };
    this.#tools.set(tool.callId, open);
    return open;
  }

  /** Sets the complete output so far and returns the new part; `undefined` if there is none, or for an unknown tool. */
  growTool(callId: string, output: string): ToolOutput | undefined {
    const before = this.#wholes.get(callId) ?? "";
    this.#wholes.set(callId, output);
    if (output === before) return undefined;
    return output.startsWith(before)
      ? this.appendTool(callId, output.slice(before.length))
      : this.#putOutput(callId, "", output, true);
  }

  /** Appends output and returns it; `undefined` for an unknown tool. */
  appendTool(callId: string, text: string): ToolOutput | undefined {
    const before = this.#tools.get(callId)?.output ?? "";
    return this.#putOutput(callId, before, text, false);
  }

  #putOutput(
    callId: string,
    before: string,
    text: string,
    isWhole: boolean,
  ): ToolOutput | undefined {
    const tool = this.#tools.get(callId);
    if (!tool) return undefined;
    const output = before + text;
    // Cuts only at twice the limit, since each cut copies the output.
    const isLong = output.length > 2 * MAX_LIVE_OUTPUT_CHARS;
    tool.output = isLong ? output.slice(-MAX_LIVE_OUTPUT_CHARS) : output;
    const { entryId } = tool;
    return { entryId, text: text.slice(-MAX_LIVE_OUTPUT_CHARS), isWhole };
  }

  /** Ends a tool and returns its entry; `undefined` for an unknown tool. */
  endTool(
    callId: string,
    failed: boolean,
    output: string,
  ): NewEntry | undefined {
    const tool = this.#tools.get(callId);
    if (!tool) return undefined;
    this.#tools.delete(callId);
    this.#wholes.delete(callId);
    return this.#toolEntry(tool, failed, output);
  }

  /** Ends all texts and tools in progress, and returns their entries, marked as incomplete. */
  leftovers(): NewEntry[] {
    const texts = [...this.#pieces.entries()].map(
      ([channel, piece]): NewEntry => ({
        ...this.complete(channel, piece.text),
        ...(piece.truncated ? { truncated: piece.truncated } : {}),
        incomplete: true,
      }),
    );
    const tools = [...this.#tools.values()].map((tool): NewEntry => ({
      ...this.#toolEntry(tool, true, tool.output),
      incomplete: true,
    }));
    this.#tools.clear();
    return [...texts, ...tools];
  }

  /** The texts and tools in progress, for a new viewer. */
  snapshot(): object {
    return {
      id: this.id,
      taskId: this.origin.taskId,
      startedAt: this.origin.startedAt,
      usage: this.usage,
      texts: [...this.#pieces.entries()].map(([kind, piece]) => ({
        kind,
        ...piece,
      })),
      tools: [...this.#tools.values()],
    };
  }

  finish(outcome: TurnOutcome): void {
    this.#resolve(outcome);
  }

  #toolEntry(tool: OpenTool, failed: boolean, output: string): NewEntry {
    const { entryId, callId, name, title, input } = tool;
    return {
      id: entryId,
      turnId: this.id,
      role: "assistant",
      kind: "tool",
      ...cutText(output),
      tool: { callId, name, title, input, failed },
    };
  }
}
