import { createIdentifier } from "@gantry/plugin";
import type * as z from "zod";
import type {
  CompactOutcome,
  DialogAnswer,
  DriverEvent,
  DriverListener,
} from "../../driver.ts";
import type { PlanItem, UsageWindow } from "../../driver-reports.ts";
import { toContextReport } from "../context-report.ts";
import { describeRpcError } from "../rpc-error.ts";
import { EventChain, type SessionNews, type TurnNews } from "../event-chain.ts";
import { toDialog, type CodexDialog } from "./codex-dialogs.ts";
import { toEnd, toTool } from "./codex-items.ts";
import { rateLimitsUpdated, toProblem, toWindows } from "./codex-limits.ts";
import { CodexUsage, toContextTokens } from "./codex-usage.ts";
import {
  notifications,
  type CodexFailure,
  type CodexItem,
  type RequestId,
} from "./codex-wire.ts";

type Name = keyof typeof notifications;
type Params<Of extends Name> = z.infer<(typeof notifications)[Of]>;

/** Dependencies of {@link CodexReader}. */
export interface CodexReaderHost {
  listener: DriverListener;
  threadId(): string;
  reply(id: RequestId, answer: object): Promise<void>;
}

/** The running turn. */
interface OpenTurn {
  id: string;
  /** What Codex calls it; `null` until it says so. */
  wireId: string | null;
  answer: string;
  isStopped: boolean;
  failure: CodexFailure | null;
}

/** Turns what Codex tells into events. */
export class CodexReader {
  readonly #host: CodexReaderHost;
  readonly #events: EventChain;
  readonly #usage = new CodexUsage();
  readonly #items = new Map<string, CodexItem>();
  /** The turn that ended last was stopped: its late reports are ignored. */
  #wasStopped = false;
  #windows: readonly UsageWindow[] = [];
  readonly #dialogs = new Map<string, { id: RequestId; open: CodexDialog }>();
  #turn: OpenTurn | undefined;
  /** What Codex calls the turns that are over, the newest last. */
  readonly #over = new Set<string>();
  #compaction:
    | { outcome: CompactOutcome; settle: (error: string | null) => void }
    | undefined;

  constructor(host: CodexReaderHost) {
    this.#host = host;
    this.#events = new EventChain(host.listener);
  }

  /** What Codex calls the running turn; `null` without one, and until it says so. */
  get wireTurnId(): string | null {
    return this.#turn?.wireId ?? null;
  }

  /** A prompt is on its way. */
  expect(id: string): void {
    this.#turn = {
      ...{ id, wireId: null, answer: "" },
      isStopped: false,
      failure: null,
    };
  }

  /** The prompt was taken as this turn, or not at all. */
  taken(wireId: string | null): void {
    if (wireId === null) this.#turn = undefined;
    else if (this.#turn) this.#turn.wireId ??= wireId;
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
      const settle = (error: string | null) =>
        error === null ? resolve(outcome) : reject(new Error(error));
      this.#compaction = { outcome, settle };
    });
  }

  tell(event: DriverEvent): Promise<void> {
    return this.#events.emit(event);
  }

  notice(text: string): Promise<void> {
    return this.#emit({ type: "notice", text });
  }

  close(): void {
    this.#compaction?.settle("The process has ended.");
    this.#dialogs.clear();
  }

  async notified(method: string, params: unknown): Promise<void> {
    if (method === "account/rateLimits/updated")
      return await this.#limited(params);
    if (!Object.hasOwn(notifications, method)) return;
    const name = method as Name;
    const read = notifications[name].safeParse(params);
    // Helpers work in threads of their own.
    if (!read.success || read.data.threadId !== this.#host.threadId()) return;
    if (this.#isLate(read.data)) return;
    await this.#take(name, read.data);
  }

  /** Gives false for what is no question to the user. */
  async asked(
    id: RequestId,
    method: string,
    params: unknown,
  ): Promise<boolean> {
    const open = toDialog(id, method, params, this.#items);
    if (open) await this.#open(id, open);
    return open !== undefined;
  }

  async answer(dialogId: string, answer: DialogAnswer): Promise<void> {
    const dialog = this.#dialogs.get(dialogId);
    if (!dialog) return;
    this.#dialogs.delete(dialogId);
    const next = dialog.open.take(answer);
    if ("result" in next) await this.#host.reply(dialog.id, next);
    else await this.#open(dialog.id, next);
  }

  /** A turn whose end was too long to read. */
  async endUnread(): Promise<void> {
    const status = this.#turn?.isStopped ? "interrupted" : "completed";
    await this.#end(this.wireTurnId, status, null);
  }

  /** Whether an event is of another turn than the one that runs. */
  #isLate(params: Params<Name>): boolean {
    const id = "turn" in params ? params.turn.id : turnIdOf(params);
    if (id === "") return false;
    const { wireTurnId } = this;
    // What is said or done when no turn runs any more is a turn of its own.
    const isItem = "item" in params || "delta" in params;
    const isUnwanted = this.#wasStopped || this.#compaction !== undefined;
    if (isItem && this.#turn === undefined) return isUnwanted;
    return this.#over.has(id) || (wireTurnId !== null && wireTurnId !== id);
  }

  async #take(name: Name, params: Params<Name>): Promise<void> {
    switch (name) {
      case "turn/started": {
        const { turn } = params as Params<"turn/started">;
        if (this.#compaction) return;
        if (!this.#turn) this.expect(createIdentifier("trn"));
        this.taken(turn.id);
        return await this.#emit({ type: "turn-started" });
      }
      case "turn/completed": {
        const { turn } = params as Params<"turn/completed">;
        const { id, status, error } = turn;
        return await this.#end(id, status, error ?? null);
      }
      case "turn/plan/updated": {
        const { plan } = params as Params<"turn/plan/updated">;
        const items = plan.map(({ step, status }) => ({
          text: step,
          status: STATUS[status] ?? "pending",
        }));
        return await this.#emit({ type: "plan", items });
      }
      case "item/started":
        return await this.#start((params as Params<"item/started">).item);
      case "item/completed":
        return await this.#complete((params as Params<"item/completed">).item);
      case "item/agentMessage/delta": {
        const { delta } = params as Params<"item/agentMessage/delta">;
        return await this.#say({ type: "delta", channel: "text", text: delta });
      }
      case "item/reasoning/summaryTextDelta":
      case "item/reasoning/textDelta": {
        const { delta: text } = params as Params<"item/reasoning/textDelta">;
        return await this.#say({ type: "delta", channel: "thinking", text });
      }
      case "item/commandExecution/outputDelta": {
        const { itemId: callId, delta: text } =
          params as Params<"item/commandExecution/outputDelta">;
        return await this.#say({ type: "tool-output", callId, text });
      }
      case "thread/tokenUsage/updated": {
        const { tokenUsage } = params as Params<"thread/tokenUsage/updated">;
        const { total, last, modelContextWindow: size } = tokenUsage;
        const context = toContextReport(toContextTokens(last), size);
        if (context) await this.#events.emit(context);
        // What is reported before any work begins is of the resumed conversation.
        if (!this.#turn && !this.#compaction) return this.#usage.rebase(total);
        const usage = this.#usage.spent(total, last);
        return await this.#emit({
          type: "usage",
          usage,
          reportedCostUsd: null,
        });
      }
      case "serverRequest/resolved": {
        const { requestId } = params as Params<"serverRequest/resolved">;
        return await this.#withdraw(requestId);
      }
      case "error": {
        const { error, willRetry } = params as Params<"error">;
        if (!willRetry) {
          if (this.#turn) this.#turn.failure = error;
          return;
        }
        const text = `The model did not answer: ${error.message}. Codex tries again.`;
        return await this.#emit({ type: "notice", text });
      }
      case "model/rerouted": {
        const { toModel: model } = params as Params<"model/rerouted">;
        return await this.#events.emit({ type: "model", model });
      }
    }
  }

  async #limited(params: unknown): Promise<void> {
    const { data } = rateLimitsUpdated.safeParse(params);
    if (!data) return;
    this.#windows = toWindows(data);
    await this.#events.emit({ type: "windows", windows: this.#windows });
  }

  async #start(item: CodexItem): Promise<void> {
    this.#items.set(item.id, item);
    const tool = toTool(item);
    if (!tool) return;
    if (this.#turn) this.#turn.answer = "";
    await this.#say({ type: "tool-started", ...tool });
  }

  async #complete(item: CodexItem): Promise<void> {
    const isKnown = this.#items.delete(item.id);
    if (item.type === "agentMessage") {
      if (this.#turn) this.#turn.answer = item.text;
      if (item.text !== "")
        await this.#say({ type: "message", channel: "text", text: item.text });
    } else if (item.type === "reasoning") {
      const text = [...item.summary, ...item.content].join("\n\n");
      if (text !== "")
        await this.#say({ type: "message", channel: "thinking", text });
    } else if (item.type === "contextCompaction") {
      if (this.#compaction) this.#compaction.outcome.compacted = true;
      else
        await this.#emit({
          type: "notice",
          text: "The conversation was compacted.",
        });
    } else {
      if (!isKnown) await this.#start(item);
      this.#items.delete(item.id);
      await this.#say({ type: "tool-ended", callId: item.id, ...toEnd(item) });
    }
  }

  async #end(
    wireId: string | null,
    status: string,
    failure: CodexFailure | null,
  ): Promise<void> {
    if (wireId !== null) this.#remember(wireId);
    const compaction = this.#compaction;
    if (compaction) {
      this.#compaction = undefined;
      const failed = failure
        ? toReason(failure)
        : "Codex did not shrink the conversation.";
      return compaction.settle(status === "completed" ? null : failed);
    }
    const turn = this.#turn;
    if (!turn) return;
    this.#turn = undefined;
    this.#wasStopped = turn.isStopped;
    this.#items.clear();
    const stopReason =
      status === "interrupted"
        ? "cancelled"
        : status === "failed"
          ? "error"
          : "end";
    const failed = failure ?? turn.failure;
    const said = failed ? toReason(failed) : "Codex failed without a reason.";
    const isError = stopReason === "error";
    await this.#events.within(turn.id, {
      type: "turn-ended",
      stopReason,
      answer: turn.answer,
      error: isError ? said : null,
      problem: isError
        ? toProblem(failed?.codexErrorInfo, this.#windows)
        : null,
    });
  }

  async #open(id: RequestId, open: CodexDialog): Promise<void> {
    this.#dialogs.set(open.dialog.id, { id, open });
    await this.#emit({ type: "dialog-opened", dialog: open.dialog });
  }

  async #withdraw(id: RequestId): Promise<void> {
    for (const [dialogId, dialog] of this.#dialogs) {
      if (dialog.id !== id) continue;
      this.#dialogs.delete(dialogId);
      await this.#emit({ type: "dialog-closed", dialogId });
    }
  }

  async #say(event: TurnNews): Promise<void> {
    if (!this.#compaction) await this.#emit(event);
  }

  #emit(event: TurnNews | SessionNews): Promise<void> {
    return this.#events.within(this.#turn?.id ?? null, event);
  }

  #remember(wireId: string): void {
    this.#over.add(wireId);
    const [oldest] = this.#over;
    if (this.#over.size > MAX_OVER && oldest !== undefined)
      this.#over.delete(oldest);
  }
}

/** The reason of a failure, with what Codex adds to it. */
function toReason({ message, additionalDetails: data }: CodexFailure): string {
  return describeRpcError({ message, data });
}

function turnIdOf(params: object): string {
  return "turnId" in params ? String(params.turnId) : "";
}

/** Turns that late notifications are expected for. */
const MAX_OVER = 20;

const STATUS: Readonly<Record<string, PlanItem["status"]>> = {
  completed: "completed",
  inProgress: "in_progress",
};
