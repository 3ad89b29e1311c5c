import { createIdentifier, type Clock } from "@gantry/plugin";
import type {
  CompactOutcome,
  DialogAnswer,
  DriverEvent,
  DriverListener,
} from "../../driver.ts";
import type { WireReader } from "../../wire/line-channel.ts";
import type { OversizedLine } from "../../wire/line-splitter.ts";
import type { ContextReport } from "../context-report.ts";
import { EventChain, type SessionNews, type TurnNews } from "../event-chain.ts";
import type { CostMeter } from "../money.ts";
import { resultText } from "../result-text.ts";
import { ClaudeContext } from "./claude-context.ts";
import { ClaudePlan } from "./claude-plan.ts";
import { ClaudeFailures } from "./claude-failures.ts";
import type { ClaudeRequests } from "./claude-requests.ts";
import { ClaudeQuestions } from "./claude-questions.ts";
import { ClaudeTasks } from "./claude-tasks.ts";
import { describeCall } from "./claude-tools.ts";
import { ClaudeTurn } from "./claude-turn.ts";
import { failureOf, isNothing, toUsage } from "./claude-usage.ts";
import {
  claudeLine,
  type ClaudeLine,
  type ClaudeRateLimit,
  type ClaudeResult,
} from "./claude-wire.ts";

type Line<Type extends ClaudeLine["type"]> = Extract<
  ClaudeLine,
  { type: Type }
>;

/** Dependencies of {@link ClaudeReader}. */
export interface ClaudeReaderHost {
  clock: Clock;
  listener: DriverListener;
  requests: ClaudeRequests;
  meter(): CostMeter;
  send(line: object): Promise<void>;
  interrupt(): Promise<void>;
  /** The conversation is another one now. */
  moved(sessionId: string): Promise<void>;
}

/** How long after a result that did not end the turn it may take to continue. */
const EMPTY_RESULT_MS = 10_000;

/** Turns the lines of Claude Code into events. */
export class ClaudeReader implements WireReader {
  readonly #host: ClaudeReaderHost;
  readonly #events: EventChain;
  readonly #context = new ClaudeContext();
  readonly #plan = new ClaudePlan();
  readonly #tasks = new ClaudeTasks();
  readonly #questions: ClaudeQuestions;
  #turn: ClaudeTurn | undefined;
  #compaction:
    | { outcome: CompactOutcome; settle: (error: string | null) => void }
    | undefined;
  #model: string | undefined;
  /** Lines that were read. */
  #count = 0;
  /** What was said last, in a turn or outside. */
  #said = "";
  readonly #failures = new ClaudeFailures();

  constructor(host: ClaudeReaderHost) {
    this.#host = host;
    this.#events = new EventChain(host.listener);
    this.#questions = new ClaudeQuestions({
      send: (line) => host.send(line),
      emit: (event) => this.#emit(event),
    });
  }

  async value(value: unknown): Promise<void> {
    const line = claudeLine.safeParse(value);
    if (!line.success) return;
    this.#count += 1;
    await this.#take(line.data);
  }

  async oversized({ head, tail, fields }: OversizedLine): Promise<void> {
    const idOf = (name: string) => {
      const field = new RegExp(`"${name}":"([^"\\\\]*)"`);
      return (field.exec(head) ?? field.exec(tail))?.[1];
    };
    switch (fields.get("type")) {
      case "result":
        await this.#notice(
          "The result of a turn was too long to read. What it cost is not counted.",
        );
        return await this.#finish(null, this.#turn?.pieces ?? "");
      case "assistant": {
        const text = this.#turn?.pieces ?? "";
        if (text !== "")
          await this.#say({ type: "message", channel: "text", text });
        return;
      }
      case "user": {
        const callId = idOf("tool_use_id");
        // A message of ours with pictures is repeated whole.
        if (callId === undefined) return this.#turn?.take();
        const output = "[The output was too long to read.]";
        return await this.#say({
          type: "tool-ended",
          callId,
          failed: false,
          output,
        });
      }
      case "control_request": {
        await this.#notice(
          "A request of Claude Code was too long to read, so it was refused.",
        );
        const message = "The request was too long to be shown to the user.";
        return await this.#questions.respond(String(fields.get("request_id")), {
          behavior: "deny",
          message,
        });
      }
      case "control_response":
        return this.#host.requests.settle(
          idOf("request_id") ?? "",
          undefined,
          "The answer was too long to read.",
        );
    }
  }

  /** A prompt is in flight; the promise resolves when Claude Code works on it. */
  expectTurn(uuid: string, turn: string, isCommand: boolean): Promise<void> {
    this.#turn = new ClaudeTurn(turn, isCommand);
    this.#failures.letThrough();
    return this.#turn.expect(uuid);
  }

  /** A message for the running turn is on its way; without one, Claude Code begins a turn for it. */
  expectSteer(uuid: string): Promise<void> {
    this.#turn ??= new ClaudeTurn(createIdentifier("trn"));
    return this.#turn.expect(uuid);
  }

  /** A message was not sent. */
  forget(uuid: string, wasPrompt: boolean): void {
    this.#turn?.forget(uuid);
    if (wasPrompt) this.#turn = undefined;
  }

  stopTurn(): void {
    if (this.#turn) this.#turn.isStopped = true;
  }

  /** The compaction that is asked for next, whose turn is not one of ours. */
  expectCompaction(): Promise<CompactOutcome> {
    return new Promise((resolve, reject) => {
      const outcome: CompactOutcome = {
        compacted: false,
        tokensBefore: null,
        tokensAfter: null,
      };
      this.#compaction = {
        outcome,
        settle: (error) =>
          error === null ? resolve(outcome) : reject(new Error(error)),
      };
    });
  }

  answer(dialogId: string, answer: DialogAnswer): Promise<void> {
    return this.#questions.answer(dialogId, answer);
  }

  /** Gives an event in its turn. */
  tell(event: DriverEvent): Promise<void> {
    return this.#events.emit(event);
  }

  close(): void {
    this.#compaction?.settle("The process has ended.");
    this.#questions.close();
  }

  async #take(line: ClaudeLine): Promise<void> {
    switch (line.type) {
      case "control_response": {
        const { subtype, request_id: id, response, error } = line.response;
        const failed = subtype === "success" ? null : (error ?? "It refused.");
        return this.#host.requests.settle(id, response, failed);
      }
      case "control_request":
        return await this.#questions.ask(line.request_id, line.request);
      case "control_cancel_request":
        return await this.#questions.withdraw(line.request_id);
      case "system":
        return await this.#system(line);
      case "stream_event":
        return line.parent_tool_use_id ? undefined : await this.#delta(line);
      case "assistant":
        return line.parent_tool_use_id
          ? undefined
          : await this.#assistant(line);
      case "rate_limit_event":
        return await this.#limited(line.rate_limit_info);
      case "user":
        return line.parent_tool_use_id ? undefined : await this.#user(line);
      case "result":
        return await this.#result(line);
    }
  }

  async #system(line: Line<"system">): Promise<void> {
    switch (line.subtype) {
      case "init":
        if (line.session_id) await this.#host.moved(line.session_id);
        if (line.model && line.model !== this.#model) {
          this.#model = line.model;
          await this.#events.emit({ type: "model", model: line.model });
        }
        if (this.#compaction) return;
        if (this.#turn?.isStopped) return await this.#host.interrupt();
        if (!this.#turn) this.#failures.letThrough();
        this.#turn ??= new ClaudeTurn(createIdentifier("trn"));
        // It repeats a message only when the model has answered it.
        this.#turn.take();
        return await this.#emit({ type: "turn-started" });
      case "api_retry": {
        const tries =
          line.attempt === undefined
            ? ""
            : ` (try ${line.attempt} of ${line.max_retries ?? "?"})`;
        const reason = line.error ?? "no reason given";
        return await this.#notice(
          `The model did not answer: ${reason}. Claude Code tries again${tries}.`,
        );
      }
      case "compact_boundary": {
        const { pre_tokens: before, post_tokens: after } =
          line.compact_metadata ?? {};
        if (this.#compaction) {
          const { outcome } = this.#compaction;
          outcome.compacted = true;
          outcome.tokensBefore = before ?? null;
          outcome.tokensAfter = after ?? null;
          return;
        }
        return await this.#notice("The conversation was compacted.");
      }
      default:
        for (const fact of this.#tasks.take(line))
          await this.#events.emit(fact);
    }
  }

  async #limited(limit: ClaudeRateLimit): Promise<void> {
    const windows = [this.#failures.limited(limit)];
    await this.#events.emit({ type: "windows", windows });
  }

  async #delta({ event }: Line<"stream_event">): Promise<void> {
    const { delta } = event;
    if (event.type !== "content_block_delta" || !delta) return;
    if (this.#turn) this.#turn.hasWorked = true;
    if (delta.type === "text_delta" && delta.text) {
      if (this.#turn) this.#turn.pieces += delta.text;
      await this.#say({ type: "delta", channel: "text", text: delta.text });
    } else if (delta.type === "thinking_delta" && delta.thinking) {
      const text = delta.thinking;
      await this.#say({ type: "delta", channel: "thinking", text });
    }
  }

  async #assistant(line: Line<"assistant">): Promise<void> {
    const { message, error } = line;
    if (error !== undefined && error !== null && error !== false)
      return this.#turn && this.#failures.mark(this.#turn, line);
    if (this.#turn) {
      this.#turn.hasWorked = true;
      this.#turn.failure = undefined;
    }
    // What a summary is made of is not what remains.
    if (!this.#compaction)
      await this.#report(this.#context.read(line, this.#model));
    for (const part of message.content) {
      if (part.type === "text" && part.text !== "") {
        if (this.#turn) this.#turn.pieces = part.text;
        this.#said = part.text;
        await this.#say({ type: "message", channel: "text", text: part.text });
      } else if (part.type === "thinking" && part.thinking !== "") {
        const text = part.thinking;
        await this.#say({ type: "message", channel: "thinking", text });
      } else if (part.type === "tool_use") {
        if (this.#turn) this.#turn.pieces = "";
        // A model that uses tools was let through.
        this.#failures.letThrough();
        this.#plan.called(part.id, part.name, part.input);
        await this.#say({ type: "tool-started", ...describeCall(part) });
      }
    }
  }

  async #user(line: Line<"user">): Promise<void> {
    if (line.isReplay) return this.#turn?.take(line.uuid ?? "");
    if (typeof line.message.content === "string") return;
    for (const part of line.message.content) {
      if (part.type !== "tool_result") continue;
      const { tool_use_id: callId } = part;
      const failed = part.is_error ?? false;
      const output = resultText(part.content);
      await this.#say({ type: "tool-ended", callId, failed, output });
      const items = this.#plan.answered(callId, failed, line.tool_use_result);
      if (items) await this.#emit({ type: "plan", items });
    }
  }

  async #result(line: ClaudeResult): Promise<void> {
    const isStopped = this.#turn?.isStopped ?? false;
    const spent = toUsage(line, this.#host.meter(), isStopped);
    if (spent) await this.#emit(spent);
    await this.#report(this.#context.ended(line, this.#model));
    const failure = failureOf(line);
    const compaction = this.#compaction;
    if (compaction) {
      this.#compaction = undefined;
      return compaction.settle(failure);
    }
    const turn = this.#turn;
    if (!turn) return await this.#strayResult(line, failure);
    if (isNothing(line) && !turn.hasWorked && !turn.isCommand && !isStopped)
      return this.#endUnlessMore(turn);
    // An empty one is as good as none.
    await this.#finish(failure, line.result || turn.pieces);
  }

  /** A result that did not end the turn: it continues, unless no more lines arrive. */
  #endUnlessMore(turn: ClaudeTurn): void {
    const count = this.#count;
    this.#host.clock.after(EMPTY_RESULT_MS, () => {
      if (this.#turn !== turn || this.#count !== count) return;
      this.#finish(null, "").catch(() => undefined);
    });
  }

  /** The result of what was said outside of turns. */
  async #strayResult(
    { result = "" }: ClaudeResult,
    failure: string | null,
  ): Promise<void> {
    const isNew = result.trim() !== "" && result !== this.#said;
    if (isNew && failure === null) {
      this.#said = result;
      await this.#say({ type: "message", channel: "text", text: result });
    }
    const stopReason = failure === null ? "end" : "error";
    await this.#events.emit({
      ...{ type: "turn-ended", turn: null },
      ...{ stopReason, answer: "", error: failure },
    });
  }

  async #finish(told: string | null, answer: string): Promise<void> {
    const turn = this.#turn;
    if (!turn || turn.step() === "goes-on") return;
    this.#turn = undefined;
    const failure = this.#failures.of(turn, told, answer);
    this.#said = failure === null ? answer : this.#said;
    const stopReason =
      failure === null ? "end" : turn.isStopped ? "cancelled" : "error";
    const isError = stopReason === "error";
    await this.#events.within(turn.id, {
      type: "turn-ended",
      stopReason,
      answer: failure === null ? answer : turn.pieces,
      error: isError ? (failure?.words ?? null) : null,
      problem: isError ? (failure?.problem ?? null) : null,
    });
  }

  async #report(report: ContextReport | undefined): Promise<void> {
    if (report) await this.#events.emit(report);
  }

  /** What belongs to a turn; what it says while it compacts belongs to none. */
  async #say(event: TurnNews): Promise<void> {
    if (!this.#compaction) await this.#emit(event);
  }

  #emit(event: TurnNews | SessionNews): Promise<void> {
    return this.#events.within(this.#turn?.id ?? null, event);
  }

  #notice(text: string): Promise<void> {
    return this.#emit({ type: "notice", text });
  }
}
