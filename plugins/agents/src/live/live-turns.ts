import type { AgentRecord } from "../records/agent-record.ts";
import { cutText } from "../transcript/entry.ts";
import type { AgentJournal } from "./agent-journal.ts";
import { CUT_OFF, toCutOff, toCutOffEntry, toResumed } from "./cut-off.ts";
import {
  CANCELLED,
  toEnd,
  toFailure,
  UNCONFIRMED,
  type Delivery,
  type TurnEnd,
} from "./delivery.ts";
import type { HandOverResult } from "./hand-over.ts";
import type { LiveDialogs } from "./live-dialogs.ts";
import type { LiveHost } from "./live-host.ts";
import { Turn } from "./turn.ts";
import type { TurnAccounts } from "./turn-accounts.ts";

/** Number of turn ids that are kept to recognize late events. */
const MAX_BEGUN = 50;

/** Why the process of an agent ended: the agent was closed, the process failed, or the daemon stops. */
export interface AgentEnd {
  kind: "closed" | "failed" | "daemon-stopped";
  /** For the user. */
  message: string;
}

/** Dependencies of {@link LiveTurns} that belong to one agent. */
export interface LiveTurnsParts {
  journal: AgentJournal;
  accounts: TurnAccounts;
  dialogs: LiveDialogs;
  /** The CLI's current conversation. */
  conversation(): Pick<AgentRecord, "cli" | "cwd" | "sessionId" | "resumeKey">;
  /** Whether the agent is being closed because the daemon stops. */
  isDaemonStopping(): boolean;
  /** Called when a turn has ended and is stored. */
  onRest(): void;
}

/** The prompt of the turn in progress, once the CLI has confirmed it. */
interface ConfirmedPrompt {
  turn: Turn;
  delivery: Delivery;
  entryId: string;
  at: string;
}

/** The turns of an open agent, one at a time: how they begin and how they end. */
export class LiveTurns {
  readonly #host: LiveHost;
  readonly #parts: LiveTurnsParts;
  #turn: Turn | undefined;
  #confirmed: ConfirmedPrompt | undefined;
  /** Text of the prompt that the agent is working on. */
  #prompt = "";
  #finishing: Promise<void> | undefined;
  /** Ids of turns that have begun, newest last. */
  readonly #begun = new Set<string>();

  constructor(host: LiveHost, parts: LiveTurnsParts) {
    this.#host = host;
    this.#parts = parts;
  }

  get current(): Turn | undefined {
    return this.#turn;
  }

  get isBusy(): boolean {
    return this.#turn !== undefined || this.#finishing !== undefined;
  }

  /** Resolves when the turn has ended and is stored; at once if there is none. */
  get settled(): Promise<unknown> {
    return this.#turn?.outcome ?? this.#finishing ?? Promise.resolve();
  }

  begin(id: string, taskId: string | null, runId: string | null): Turn {
    const startedAt = this.#host.clock.timestamp();
    const turn = new Turn({ id, taskId, runId, startedAt });
    this.#prompt = "";
    this.#parts.accounts.begin(turn);
    this.#turn = turn;
    this.#remember(id);
    this.#parts.journal.publish("turn-started", { turnId: id, taskId, runId });
    return turn;
  }

  /** Whether a turn has begun, also if it has ended, so that a late event does not begin it again. */
  hasBegun(id: string): boolean {
    return this.#begun.has(id);
  }

  async noteBegin(turn: Turn): Promise<void> {
    await this.#parts.journal.save({ activity: "working", turn: turn.origin });
  }

  /** Begins a turn that the CLI started by itself, for example because of an extension. */
  async beginUnasked(id: string): Promise<void> {
    const turn = this.begin(id, null, null);
    turn.isSent = true;
    await this.noteBegin(turn);
  }

  /** Handles the outcome of a prompt's delivery. Ends the turn unless the CLI received the prompt. */
  async handed(
    turn: Turn,
    delivery: Delivery,
    result: HandOverResult,
  ): Promise<void> {
    switch (result.kind) {
      case "confirmed": {
        const { id: entryId, at } = result.entry;
        this.#confirmed = { turn, delivery, entryId, at };
        this.#prompt = delivery.text;
        return await this.#resolveCutOff();
      }
      case "stopped":
        return await this.finish(turn, CANCELLED);
      case "unconfirmed":
        return await this.#unconfirmed(turn, delivery);
      case "failed":
        return await this.finish(turn, toFailure(result.error));
      case "not-delivered":
        this.#prompt = delivery.text;
        return await this.#revoke(turn, this.#parts.isDaemonStopping());
    }
  }

  /** Ends a turn once. Its outcome resolves when its end is stored. Never rejects. */
  async finish(turn: Turn, end: TurnEnd, isCutOff = false): Promise<void> {
    if (this.#turn !== turn) return await this.#finishing;
    this.#turn = undefined;
    const { accounts, dialogs, onRest } = this.#parts;
    const { stopReason, answer } = end;
    const { sessionId, resumeKey } = this.#parts.conversation();
    const outcome = {
      stopReason,
      answer,
      error: end.error === null ? null : cutText(end.error, 4000).text,
      usage: turn.usage,
      sessionId,
    };
    const cutOff = isCutOff ? { prompt: this.#prompt } : undefined;
    this.#finishing = dialogs
      .closeAll()
      .then(() => accounts.close(turn, outcome, { resumeKey, cutOff }))
      .catch((error: unknown) => this.#failed(turn, error))
      .then(() => {
        this.#finishing = undefined;
        turn.finish(outcome);
        onRest();
      });
    await this.#finishing;
  }

  /** Ends the turn in progress after the process has ended. Returns whether there was one. */
  async ended({ kind, message }: AgentEnd): Promise<boolean> {
    const turn = this.#turn;
    if (turn) {
      if (kind !== "failed" && (await this.#isUnseen(turn)))
        await this.#requeue(turn, kind === "daemon-stopped");
      else if (kind === "failed")
        await this.finish(turn, toEnd("error", message));
      else if (kind === "closed" || turn.isStopped)
        await this.finish(turn, CANCELLED);
      else await this.finish(turn, toEnd("error", CUT_OFF), true);
    }
    await this.#finishing;
    return turn !== undefined;
  }

  /**
   * Whether the CLI confirmed the prompt but ended before it stored it, so that its conversation does not hold the prompt.
   * Always `false` for a slash command, which the CLI's record does not hold.
   */
  async #isUnseen(turn: Turn): Promise<boolean> {
    const confirmed = this.#confirmed;
    const isIdle = !turn.hasWorked && !turn.isStopped;
    if (confirmed?.turn !== turn || turn.origin.taskId === null || !isIdle)
      return false;
    const { text, context } = confirmed.delivery;
    if (text.startsWith("/")) return false;
    const conversation = this.#parts.conversation();
    const isHeld = await this.#host.cliRecords.holdsPrompt(
      conversation,
      context + text,
      confirmed.at,
    );
    return isHeld === false;
  }

  async #unconfirmed(turn: Turn, delivery: Delivery): Promise<void> {
    const { journal, isDaemonStopping } = this.#parts;
    this.#prompt = delivery.text;
    const isCutOff = isDaemonStopping();
    if (isCutOff) await journal.notice(UNCONFIRMED, turn.id);
    await this.finish(turn, toEnd("error", UNCONFIRMED), isCutOff);
  }

  async #requeue(turn: Turn, isCutOff: boolean): Promise<void> {
    const { taskId } = turn.origin;
    // First, so that a crash in between leaves a queued message that is already shown, not a lost one.
    if (taskId !== null) await this.#host.requeue(taskId);
    if (this.#confirmed)
      await this.#parts.journal.withdraw(this.#confirmed.entryId);
    await this.#revoke(turn, isCutOff);
  }

  /** Discards a turn whose prompt the CLI does not have. No turn record is stored. */
  async #revoke(turn: Turn, isCutOff: boolean): Promise<void> {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    const { accounts, dialogs, onRest, journal } = this.#parts;
    accounts.revoke(turn);
    const { usage } = turn;
    const end = { stopReason: "cancelled", error: null, usage } as const;
    await dialogs
      .closeAll()
      .then(() => this.#noteRevoked(turn, isCutOff))
      .catch((error: unknown) => this.#failed(turn, error));
    journal.publish("turn-ended", { turnId: turn.id, ...end });
    turn.finish({ ...end, answer: "", sessionId: null, isVoid: true });
    onRest();
  }

  async #noteRevoked(turn: Turn, isCutOff: boolean): Promise<void> {
    const { journal } = this.#parts;
    const idle = { activity: "idle", turn: null } as const;
    if (!isCutOff) return await journal.save(idle);
    const { fields, event } = toCutOff(journal.agent, {
      turn: turn.origin,
      at: this.#host.clock.timestamp(),
      prompt: this.#prompt,
      isQueued: true,
    });
    await journal.append([toCutOffEntry(turn.id, true)], true);
    await journal.save({ ...idle, ...fields }, { events: [event] });
  }

  /** Clears the record of an earlier cut-off turn, because the conversation continues. */
  async #resolveCutOff(): Promise<void> {
    const { journal } = this.#parts;
    const { fields, events } = toResumed(journal.agent);
    if (events.length === 0) return;
    await journal
      .save(fields, { events })
      .catch((error: unknown) => this.#failed(this.#turn, error));
  }

  #remember(id: string): void {
    this.#begun.add(id);
    const [oldest] = this.#begun;
    if (this.#begun.size > MAX_BEGUN && oldest !== undefined)
      this.#begun.delete(oldest);
  }

  #failed(turn: Turn | undefined, error: unknown): void {
    const fields = { agent: this.#parts.journal.agentId, turn: turn?.id };
    this.#host.log.error("A turn could not be stored", fields, error);
  }
}
