import { createIdentifier, toVisibleText } from "@gantry/plugin";
import type { AgentUsage } from "../agent-usage.ts";
import type { TurnProblem } from "../driver-reports.ts";
import { cutText, type NewEntry } from "../transcript/entry.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

type Channel = "text" | "thinking";

/** How a turn ended. */
export interface TurnOutcome {
  stopReason: "end" | "cancelled" | "refused" | "error";
  answer: string;
  error: string | null;
  usage: AgentUsage;
  sessionId: string | null;
  /** The CLI never had its prompt, which waits in the queue again: there was no turn. */
  isVoid?: true;
  /** With `error`, what the user can do something about. */
  problem?: TurnProblem | null;
  /** An answer without words is an answer too, as with a command. */
  mayBeEmpty?: boolean;
}

/** What the user reads of a turn without words. */
export const NO_ANSWER = "The agent ended its turn without an answer.";

/** Whose turn it is. */
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

/** More of the output of a tool that runs. */
export interface ToolOutput {
  entryId: string;
  text: string;
  /** It takes the place of the output before. */
  isWhole: boolean;
}

/** Of a tool that runs, only the end of its output is shown. */
const MAX_LIVE_OUTPUT = 64 * 1024;

interface OpenTool {
  entryId: string;
  callId: string;
  name: string;
  title: string;
  input: string;
  output: string;
}

/** One turn while it runs: what grows, what it has cost, and its outcome. */
export class Turn {
  readonly origin: TurnOrigin;
  /** How this turn ended, when that is stored. */
  readonly outcome: Promise<TurnOutcome>;
  /** How the job of the turn ended: with its background work, and the turns that reported it. */
  result: Promise<TurnOutcome>;
  /** It was requested; the CLI begins others by itself. */
  readonly isAsked: boolean;
  usage: AgentUsage = NO_USAGE;
  /** The CLI has its prompt, or is about to. */
  isSent = false;
  /** The CLI has reported something of it. */
  hasWorked = false;
  /** Aborts when the user stops it. */
  readonly stopped = new AbortController();
  /** What was said since the last tool call, as far as it is known. */
  said = "";
  readonly #pieces = new Map<Channel, Piece>();
  readonly #tools = new Map<string, OpenTool>();
  /** Outputs as CLIs repeated them last, by the ids of their calls. */
  readonly #wholes = new Map<string, string>();
  #resolve!: (outcome: TurnOutcome) => void;
  /** What it did last: how that is said, and what it was. */
  #lastStep: readonly [string, string] | null = null;

  constructor(origin: TurnOrigin, isAsked = true) {
    this.origin = origin;
    this.isAsked = isAsked;
    this.outcome = new Promise((resolve) => (this.#resolve = resolve));
    this.result = this.outcome;
  }

  get id(): string {
    return this.origin.id;
  }

  /** The user has stopped it. */
  get isStopped(): boolean {
    return this.stopped.signal.aborted;
  }

  spend(usage: AgentUsage): void {
    this.usage = addUsage(this.usage, usage);
  }

  /** Takes a piece of a text; gives the entry that it will be a part of. */
  grow(channel: Channel, text: string): string {
    this.hasWorked = true;
    let piece = this.#pieces.get(channel);
    if (!piece) {
      piece = { entryId: createIdentifier("ent"), text: "" };
      this.#pieces.set(channel, piece);
    }
    Object.assign(piece, cutText(piece.text + text));
    this.#noteWords(channel, piece.text);
    return piece.entryId;
  }

  /** Ends a text; gives its entry. */
  complete(channel: Channel, text: string): NewEntry {
    this.hasWorked = true;
    const id = this.#pieces.get(channel)?.entryId;
    this.#pieces.delete(channel);
    this.#noteWords(channel, text);
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
    this.said = "";
    this.#lastStep = ["It was using a tool:", tool.title || tool.name];
    // Some agents report what a tool is to do only after they have reported the tool.
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
    // A viewer that resumes gets it as it was sent, and what was added since after it.
    return { ...open };
  }

  /** Takes the output so far, whole; gives what of it is new. `undefined` if nothing is, or the tool is not known. */
  growTool(callId: string, output: string): ToolOutput | undefined {
    const before = this.#wholes.get(callId) ?? "";
    this.#wholes.set(callId, output);
    if (output === before) return undefined;
    return output.startsWith(before)
      ? this.appendTool(callId, output.slice(before.length))
      : this.#putOutput(callId, "", output, true);
  }

  /** Takes more of the output; gives it. `undefined` if the tool is not known. */
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
    // Not each time: to cut costs what is kept.
    const isLong = output.length > 2 * MAX_LIVE_OUTPUT;
    tool.output = isLong ? output.slice(-MAX_LIVE_OUTPUT) : output;
    const { entryId } = tool;
    return { entryId, text: text.slice(-MAX_LIVE_OUTPUT), isWhole };
  }

  /** Ends a tool; gives its entry. `undefined` if the tool is not known. */
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

  /** What it did last, as a sentence for the user; `null` if nothing yet. */
  get lastStep(): string | null {
    return (
      this.#lastStep && `${this.#lastStep[0]} ${toStep(this.#lastStep[1])}`
    );
  }

  /** Whether a tool runs. */
  get hasTool(): boolean {
    return this.#tools.size > 0;
  }

  /** Ends all texts that are growing; gives their entries. */
  completeAll(): NewEntry[] {
    return [...this.#pieces.entries()].map(([channel, { text }]) =>
      this.complete(channel, text),
    );
  }

  /** Entries of everything that had not ended when the turn did. */
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

  /** What is growing right now, for new viewers. */
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

  #noteWords(channel: Channel, text: string): void {
    if (channel === "text") this.said = text;
    const verb = channel === "text" ? "said" : "thought";
    if (text.trim() !== "")
      this.#lastStep = [`The last thing it ${verb} was:`, text];
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

const MAX_STEP = 200;

/** The end of a text, on one line. */
function toStep(text: string): string {
  const line = toVisibleText(
    text.slice(-2 * MAX_STEP).replaceAll(/\s+/g, " "),
  ).trim();
  return line.length <= MAX_STEP ? line : `…${line.slice(-MAX_STEP)}`;
}
