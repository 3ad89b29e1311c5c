import { createIdentifier, type Clock } from "@gantry/plugin";
import type {
  DialogAnswer,
  DriverEvent,
  DriverListener,
} from "../../driver.ts";
import type { WireReader } from "../../wire/line-channel.ts";
import type { OversizedLine } from "../../wire/line-splitter.ts";
import { toContextReport } from "../context-report.ts";
import { EventChain, type SessionNews, type TurnNews } from "../event-chain.ts";
import { isQuestion, toDialog, toResponse } from "./pi-dialogs.ts";
import { isGateGreeting, toGateDialog } from "./pi-gate.ts";
import { PiMessages } from "./pi-messages.ts";
import type { PiRequests } from "./pi-requests.ts";
import { PiTurnEnd } from "./pi-turn-end.ts";
import {
  piLine,
  toolOutput,
  type PiLine,
  type PiState,
  type UiRequest,
} from "./pi-wire.ts";

/** Dependencies of {@link PiReader}. */
export interface PiReaderHost {
  listener: DriverListener;
  clock: Clock;
  /** What the questions of our own extension begin with. */
  gateMark: string | undefined;
  requests: PiRequests;
  /** This version says itself when it is at rest. */
  settles: boolean;
  readState(): Promise<PiState>;
  /** How many tokens a model can take, as pi says it. */
  contextSize(model: string | undefined): unknown;
  send(line: object): Promise<void>;
}

/** Turns the lines of pi into events. */
export class PiReader implements WireReader {
  readonly #host: PiReaderHost;
  readonly #messages: PiMessages;
  readonly #turnEnd: PiTurnEnd;
  readonly #dialogs = new Map<
    string,
    { request: UiRequest; stopTimer: () => void }
  >();
  #isCompacting = false;
  /** Our extension that asks before each tool has said that it is loaded. */
  hasGate = false;
  readonly #events: EventChain;
  /** Id of the turn that is running or pending. */
  #turn: string | null = null;

  constructor(host: PiReaderHost) {
    this.#host = host;
    this.#events = new EventChain(host.listener);
    this.#messages = new PiMessages({
      emit: (event) => this.#emit(event),
      model: (model) => this.#events.emit({ type: "model", model }),
      context: async (tokens, model) => {
        const report = toContextReport(tokens, host.contextSize(model));
        if (report) await this.#events.emit(report);
      },
    });
    this.#turnEnd = new PiTurnEnd({
      settles: host.settles,
      readState: () => host.readState(),
      started: () => {
        this.#turn ??= createIdentifier("trn");
        return this.#emit({ type: "turn-started" });
      },
      ended: () => {
        const turn = this.#turn;
        this.#turn = null;
        return this.#events.within(turn, this.#messages.endTurn());
      },
    });
  }

  async value(value: unknown): Promise<void> {
    const line = piLine.safeParse(value);
    // pi says much that is of no use here, and newer versions say more.
    if (line.success) await this.#take(line.data);
  }

  async oversized({ head, fields }: OversizedLine): Promise<void> {
    const type = fields.get("type");
    if (type === "response") {
      this.#host.requests.settle({
        id: textOf(fields, "id"),
        command: textOf(fields, "command") ?? "",
        success: false,
        error: "The answer was too long to read.",
      });
    } else if (type === "extension_ui_request") {
      await this.#refuse(textOf(fields, "id"), textOf(fields, "method") ?? "");
    } else if (type === "agent_end") {
      // It repeats every message of the run, so that this is the line that is too long first; nothing in it is needed.
      await this.#turnEnd.agentEnded(undefined);
    } else if (type === "message_update") {
      await this.#messages.updateUnread(head);
    } else if (type === "message_end") {
      await this.#messages.endUnread(head);
    } else if (type === "tool_execution_end") {
      const callId = /"toolCallId":"([^"\\]*)"/.exec(head)?.[1];
      if (callId === undefined) return;
      await this.#emit({
        type: "tool-ended",
        callId,
        failed: false,
        output: "[The output was too long to read.]",
      });
    }
  }

  /** A prompt is on its way: the run that begins next is its. */
  expectTurn(turn: string): void {
    this.#turn = turn;
    this.#messages.beginTurn();
    this.#turnEnd.expect();
  }

  /** The active run was asked to stop. */
  stopTurn(): void {
    this.#messages.stopTurn();
  }

  /** The prompt was not taken. */
  forgetTurn(): void {
    if (!this.#turnEnd.forget()) this.#turn = null;
  }

  checkStarted(): Promise<void> {
    return this.#turnEnd.checkStarted();
  }

  /** The line that answers a dialog, `undefined` if pi does not wait for it any more. */
  answerLine(dialogId: string, answer: DialogAnswer): object | undefined {
    const open = this.#dialogs.get(dialogId);
    if (!open) return undefined;
    this.#dialogs.delete(dialogId);
    open.stopTimer();
    return toResponse(open.request, answer);
  }

  /** Gives an event in its turn. */
  tell(event: DriverEvent): Promise<void> {
    return this.#events.emit(event);
  }

  /** Runs work that makes pi compact. A failure is reported to the caller, and not as a notice too. */
  async whileCompacting<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isCompacting = true;
    try {
      return await work();
    } finally {
      this.#isCompacting = false;
    }
  }

  close(): void {
    for (const { stopTimer } of this.#dialogs.values()) stopTimer();
    this.#dialogs.clear();
  }

  async #take(line: PiLine): Promise<void> {
    switch (line.type) {
      case "response":
        return this.#host.requests.settle(line);
      case "agent_start":
        return await this.#turnEnd.agentStarted();
      case "agent_end":
        return await this.#turnEnd.agentEnded(line.willRetry);
      case "agent_settled":
        return await this.#turnEnd.settled();
      case "message_start":
        return this.#messages.start(line.message.role);
      case "message_update":
        return await this.#messages.update(line.assistantMessageEvent);
      case "message_end":
        return line.message
          ? await this.#messages.end(line.message)
          : undefined;
      case "tool_execution_start":
        return await this.#emit({
          type: "tool-started",
          ...describeCall(line),
        });
      case "tool_execution_update":
        return await this.#emit({
          type: "tool-progress",
          callId: line.toolCallId,
          output: toolOutput(line.partialResult),
        });
      case "tool_execution_end":
        return await this.#emit({
          type: "tool-ended",
          callId: line.toolCallId,
          failed: line.isError,
          output: toolOutput(line.result),
        });
      case "auto_retry_start":
        this.#turnEnd.goesOn();
        return await this.#notice(retryNotice(line));
      case "auto_retry_end":
        return line.success
          ? undefined
          : await this.#turnEnd.agentEnded(undefined);
      case "compaction_start":
        this.#turnEnd.goesOn();
        return await this.#notice("The conversation is being compacted.");
      case "compaction_end":
        if (line.errorMessage && !this.#isCompacting)
          await this.#notice(`Compacting failed: ${line.errorMessage}`);
        return line.willRetry ? undefined : await this.#turnEnd.compacted();
      case "extension_error":
        return await this.#notice(`An extension of pi failed: ${line.error}`);
      case "extension_ui_request":
        return await this.#ask(line);
    }
  }

  /** What cannot be shown cannot be allowed. Without an answer the extension would wait for ever. */
  async #refuse(id: string | undefined, method: string): Promise<void> {
    if (id === undefined || !isQuestion(method)) return;
    await this.#notice(
      "A request of an extension of pi was too long to read, so it was refused.",
    );
    const type = "extension_ui_response";
    await this.#host.send({ type, id, cancelled: true });
  }

  async #ask(request: UiRequest): Promise<void> {
    if (!isQuestion(request.method)) {
      if (isGateGreeting(request, this.#host.gateMark)) {
        this.hasGate = true;
        return;
      }
      if (request.method === "notify" && request.message)
        await this.#notice(request.message);
      return;
    }
    const stopTimer = request.timeout
      ? this.#host.clock.after(request.timeout, () => {
          // pi answers itself by then.
          this.#dialogs.delete(request.id);
          void this.#emit({ type: "dialog-closed", dialogId: request.id });
        })
      : () => undefined;
    this.#dialogs.set(request.id, { request, stopTimer });
    const dialog =
      toGateDialog(request, this.#host.gateMark) ?? toDialog(request);
    await this.#emit({ type: "dialog-opened", dialog });
  }

  #notice(text: string): Promise<void> {
    return this.#emit({ type: "notice", text });
  }

  #emit(event: TurnNews | SessionNews): Promise<void> {
    return this.#events.within(this.#turn, event);
  }
}

function textOf(
  fields: ReadonlyMap<string, unknown>,
  name: string,
): string | undefined {
  const value = fields.get(name);
  return typeof value === "string" ? value : undefined;
}

function describeCall(line: Extract<PiLine, { type: "tool_execution_start" }>) {
  const args =
    typeof line.args === "object" && line.args !== null
      ? (line.args as Record<string, unknown>)
      : {};
  const subject = [args["command"], args["path"], args["pattern"]].find(
    (value) => typeof value === "string",
  );
  return {
    callId: line.toolCallId,
    name: line.toolName,
    title:
      subject === undefined
        ? line.toolName
        : `${line.toolName}: ${String(subject).slice(0, 200)}`,
    input: JSON.stringify(line.args ?? null),
  };
}

function retryNotice(
  line: Extract<PiLine, { type: "auto_retry_start" }>,
): string {
  const tries =
    line.attempt === undefined
      ? ""
      : ` (try ${line.attempt} of ${line.maxAttempts ?? "?"})`;
  return `The model did not answer: ${line.errorMessage ?? "no reason given"}. pi tries again${tries}.`;
}
