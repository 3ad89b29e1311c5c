import { createIdentifier } from "@gantry/plugin";
import type {
  CompactOutcome,
  DialogAnswer,
  DriverEvent,
  DriverListener,
} from "../../driver.ts";
import type { WireReader } from "../../wire/line-channel.ts";
import type { OversizedLine } from "../../wire/line-splitter.ts";
import { EventChain, type SessionNews, type TurnNews } from "../event-chain.ts";
import type { CostMeter } from "../money.ts";
import { toDialog, type ClaudeDialog } from "./claude-dialogs.ts";
import { ClaudePlan } from "./claude-plan.ts";
import type { ClaudeRequests } from "./claude-requests.ts";
import { describeCall } from "./claude-tools.ts";
import { ClaudeTurn } from "./claude-turn.ts";
import { failureOf, toUsage } from "./claude-usage.ts";
import {
  claudeLine,
  resultText,
  type ClaudeLine,
  type ClaudePermission,
  type ClaudeResult,
} from "./claude-wire.ts";

type Line<Type extends ClaudeLine["type"]> = Extract<
  ClaudeLine,
  { type: Type }
>;

/** Dependencies of {@link ClaudeReader}. */
export interface ClaudeReaderHost {
  listener: DriverListener;
  requests: ClaudeRequests;
  meter(): CostMeter;
  send(line: object): Promise<void>;
  interrupt(): Promise<void>;
  /** The conversation is another one now. */
  moved(sessionId: string): Promise<void>;
}

/** Turns the lines of Claude Code into events. */
export class ClaudeReader implements WireReader {
  readonly #host: ClaudeReaderHost;
  readonly #events: EventChain;
  readonly #plan = new ClaudePlan();
  readonly #dialogs = new Map<
    string,
    { requestId: string; open: ClaudeDialog }
  >();
  #turn: ClaudeTurn | undefined;
  #compaction:
    | { outcome: CompactOutcome; settle: (error: string | null) => void }
    | undefined;
  #model: string | undefined;

  constructor(host: ClaudeReaderHost) {
    this.#host = host;
    this.#events = new EventChain(host.listener);
  }

  async value(value: unknown): Promise<void> {
    const line = claudeLine.safeParse(value);
    if (line.success) await this.#take(line.data);
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
        return await this.#respond(String(fields.get("request_id")), {
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

  /** A prompt is on its way; the promise resolves when it is at work. */
  expectTurn(uuid: string, turn: string): Promise<void> {
    this.#turn = new ClaudeTurn(turn);
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

  async answer(dialogId: string, answer: DialogAnswer): Promise<void> {
    const dialog = this.#dialogs.get(dialogId);
    if (!dialog) return;
    this.#dialogs.delete(dialogId);
    const { requestId, open } = dialog;
    const next = open.take(answer);
    if ("behavior" in next) await this.#respond(requestId, next);
    else await this.#open(requestId, next);
  }

  /** Gives an event in its turn. */
  tell(event: DriverEvent): Promise<void> {
    return this.#events.emit(event);
  }

  close(): void {
    this.#compaction?.settle("The process has ended.");
    this.#dialogs.clear();
  }

  async #take(line: ClaudeLine): Promise<void> {
    switch (line.type) {
      case "control_response": {
        const { subtype, request_id: id, response, error } = line.response;
        const failed = subtype === "success" ? null : (error ?? "It refused.");
        return this.#host.requests.settle(id, response, failed);
      }
      case "control_request":
        return await this.#ask(line.request_id, line.request);
      case "control_cancel_request":
        return await this.#withdraw(line.request_id);
      case "system":
        return await this.#system(line);
      case "stream_event":
        return line.parent_tool_use_id ? undefined : await this.#delta(line);
      case "assistant":
        return line.parent_tool_use_id || line.error
          ? undefined
          : await this.#assistant(line);
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
    }
  }

  async #delta({ event }: Line<"stream_event">): Promise<void> {
    const { delta } = event;
    if (event.type !== "content_block_delta" || !delta) return;
    if (delta.type === "text_delta" && delta.text) {
      if (this.#turn) this.#turn.pieces += delta.text;
      await this.#say({ type: "delta", channel: "text", text: delta.text });
    } else if (delta.type === "thinking_delta" && delta.thinking) {
      const text = delta.thinking;
      await this.#say({ type: "delta", channel: "thinking", text });
    }
  }

  async #assistant({ message }: Line<"assistant">): Promise<void> {
    for (const part of message.content) {
      if (part.type === "text" && part.text !== "") {
        if (this.#turn) this.#turn.pieces = part.text;
        await this.#say({ type: "message", channel: "text", text: part.text });
      } else if (part.type === "thinking" && part.thinking !== "") {
        const text = part.thinking;
        await this.#say({ type: "message", channel: "thinking", text });
      } else if (part.type === "tool_use") {
        if (this.#turn) this.#turn.pieces = "";
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
    const failure = failureOf(line);
    const compaction = this.#compaction;
    if (compaction) {
      this.#compaction = undefined;
      return compaction.settle(failure);
    }
    await this.#finish(failure, line.result ?? this.#turn?.pieces ?? "");
  }

  async #finish(failure: string | null, answer: string): Promise<void> {
    const turn = this.#turn;
    if (!turn || turn.step() === "goes-on") return;
    this.#turn = undefined;
    const stopReason =
      failure === null ? "end" : turn.isStopped ? "cancelled" : "error";
    const error = stopReason === "error" ? failure : null;
    await this.#events.within(turn.id, {
      type: "turn-ended",
      stopReason,
      answer: failure === null ? answer : turn.pieces,
      error,
    });
  }

  async #ask(id: string, request: ClaudePermission | null): Promise<void> {
    if (request) return await this.#open(id, toDialog(id, request));
    // It asks for what only its own kits have.
    const error = "This client does not do that.";
    await this.#host.send({
      type: "control_response",
      response: { subtype: "error", request_id: id, error },
    });
  }

  async #open(requestId: string, open: ClaudeDialog): Promise<void> {
    this.#dialogs.set(open.dialog.id, { requestId, open });
    await this.#emit({ type: "dialog-opened", dialog: open.dialog });
  }

  async #withdraw(requestId: string): Promise<void> {
    for (const [dialogId, dialog] of this.#dialogs) {
      if (dialog.requestId !== requestId) continue;
      this.#dialogs.delete(dialogId);
      await this.#emit({ type: "dialog-closed", dialogId });
    }
  }

  #respond(requestId: string, response: object): Promise<void> {
    return this.#host.send({
      type: "control_response",
      response: { subtype: "success", request_id: requestId, response },
    });
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
