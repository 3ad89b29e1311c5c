import type { AgentRecord } from "../records/agent-record.ts";
import type { TurnProblem } from "../driver-reports.ts";
import { cutText } from "../transcript/entry.ts";
import type { AgentJournal } from "./agent-journal.ts";
import { classifyFailure } from "./classify-failure.ts";
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
import { Job, type Jobs } from "./jobs.ts";
import type { LiveDialogs } from "./live-dialogs.ts";
import type { LiveHost } from "./live-host.ts";
import { NO_ANSWER, Turn, type TurnOutcome } from "./turn.ts";
import type { TurnAccounts } from "./turn-accounts.ts";

/** Turns that late events are expected for. */
const MAX_BEGUN = 50;

/** Why the process of an agent is gone: the agent was closed, it failed by itself, or the daemon stops. */
export interface AgentEnd {
  kind: "closed" | "failed" | "daemon-stopped";
  /** For the user. */
  message: string;
}

/** Dependencies of {@link LiveTurns} beside the plugin's. */
export interface LiveTurnsParts {
  journal: AgentJournal;
  accounts: TurnAccounts;
  dialogs: LiveDialogs;
  jobs: Jobs;
  /** The conversation that the CLI has now. */
  conversation(): Pick<AgentRecord, "cli" | "cwd" | "sessionId" | "resumeKey">;
  /** Whether the agent is being closed because the daemon stops. */
  isDaemonStopping(): boolean;
  /** Called when a turn is over and written down. */
  onRest(): void;
}

/** The prompt of the running turn, as the CLI has it. */
interface Handed {
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
  #handed: Handed | undefined;
  /** What the agent works on. */
  #prompt = "";
  #finishing: Promise<void> | undefined;
  /** Ids of turns that have begun, the newest last. */
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

  /** Resolves when the turn is over and stored; at once if there is none. */
  get settled(): Promise<unknown> {
    return this.#turn?.outcome ?? this.#finishing ?? Promise.resolve();
  }

  begin(id: string, taskId: string | null, runId: string | null): Turn {
    return this.#begin(id, taskId, new Job(runId), true);
  }

  #begin(id: string, taskId: string | null, job: Job, isAsked: boolean): Turn {
    const startedAt = this.#host.clock.timestamp();
    const { runId } = job;
    const turn = new Turn({ id, taskId, runId, startedAt }, isAsked);
    turn.result = job.outcome;
    this.#parts.jobs.begin(turn, job);
    this.#prompt = "";
    this.#parts.accounts.begin(turn);
    this.#turn = turn;
    this.#remember(id);
    this.#parts.journal.publish("turn-started", { turnId: id, taskId, runId });
    return turn;
  }

  /** Whether a turn has begun, over or not: what comes late for one that is over must not begin it again. */
  hasBegun(id: string): boolean {
    return this.#begun.has(id);
  }

  async noteBegin(turn: Turn): Promise<void> {
    await this.#parts.journal.save({ activity: "working", turn: turn.origin });
  }

  /** The CLI began to work by itself: to report what it did in the background, or because an extension makes it. */
  async beginUnasked(id: string): Promise<Turn> {
    const job = this.#parts.jobs.reported ?? new Job(null);
    const turn = this.#begin(id, null, job, false);
    turn.isSent = true;
    await this.noteBegin(turn);
    // The CLI works already, so nothing is gained by waiting.
    const { signal } = turn.stopped;
    void this.#host.checkpoints.begin(id, this.#parts.journal.agent, signal);
    return turn;
  }

  /** It is decided whether the CLI has the prompt of a turn. A turn whose prompt it does not have is over. */
  async handed(
    turn: Turn,
    delivery: Delivery,
    result: HandOverResult,
  ): Promise<void> {
    switch (result.kind) {
      case "confirmed": {
        const { id: entryId, at } = result.entry;
        this.#handed = { turn, delivery, entryId, at };
        this.#prompt = delivery.text;
        return await this.#wentOn();
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
    void this.#host.checkpoints.end(turn.id);
    const { accounts, dialogs, jobs, onRest } = this.#parts;
    const { resumeKey } = this.#parts.conversation();
    const outcome = this.#toOutcome(turn, end);
    const cutOff = isCutOff ? { prompt: this.#prompt } : undefined;
    const isWorking = jobs.work.length > 0 || !jobs.endsWith(turn);
    // Background work still waits for the answers to its questions.
    const closed = isWorking ? Promise.resolve() : dialogs.closeAll();
    const closing = { resumeKey, cutOff, isWorking };
    this.#finishing = closed
      .then(() => accounts.close(turn, outcome, closing))
      .catch((error: unknown) => this.#failed(turn, error))
      .then(() => {
        this.#finishing = undefined;
        turn.finish(outcome);
        jobs.ended(turn, outcome);
        onRest();
      });
    await this.#finishing;
  }

  #toOutcome(turn: Turn, end: TurnEnd): TurnOutcome {
    const { jobs, conversation } = this.#parts;
    const { answer } = end;
    const mayBeEmpty = !turn.isAsked || this.#isCommand(turn);
    const isSilent = end.stopReason === "end" && answer.trim() === "";
    const isEmpty = isSilent && !mayBeEmpty && jobs.endsWith(turn);
    const stopReason = isEmpty ? "error" : end.stopReason;
    const said = isEmpty ? NO_ANSWER : end.error;
    const problem =
      stopReason === "error" && said !== null
        ? (end.problem ?? classifyFailure(said))
        : null;
    const error = said === null ? null : toError(said, problem);
    const { sessionId } = conversation();
    const { usage } = turn;
    const told = { stopReason, answer, error, problem };
    return { ...told, mayBeEmpty, usage, sessionId };
  }

  /** Commands of CLIs may have nothing to say. */
  #isCommand(turn: Turn): boolean {
    const { turn: handed, delivery } = this.#handed ?? {};
    return handed === turn && (delivery?.text.startsWith("/") ?? false);
  }

  /** The process is gone. Gives whether a turn was running. */
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
   * Whether the CLI confirmed the prompt and was ended before it did anything with it: then its conversation continues without the
   * prompt. A command is in no record, so this is unknown for it.
   */
  async #isUnseen(turn: Turn): Promise<boolean> {
    const handed = this.#handed;
    const isIdle = !turn.hasWorked && !turn.isStopped;
    if (handed?.turn !== turn || turn.origin.taskId === null || !isIdle)
      return false;
    const { text, context } = handed.delivery;
    if (text.startsWith("/")) return false;
    const conversation = this.#parts.conversation();
    const isHeld = await this.#host.cliRecords.holdsPrompt(
      conversation,
      context + text,
      handed.at,
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
    // First: a crash in between then leaves a message that is shown too early, not one that is lost.
    if (taskId !== null) await this.#host.requeue(taskId);
    if (this.#handed) await this.#parts.journal.withdraw(this.#handed.entryId);
    await this.#revoke(turn, isCutOff);
  }

  /** There was no turn: the CLI does not have its prompt. */
  async #revoke(turn: Turn, isCutOff: boolean): Promise<void> {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    const { accounts, dialogs, onRest, journal } = this.#parts;
    void this.#host.checkpoints.drop(turn.id);
    accounts.revoke(turn);
    const { usage } = turn;
    const end = { stopReason: "cancelled", error: null, usage } as const;
    await dialogs
      .closeAll()
      .then(() => this.#noteRevoked(turn, isCutOff))
      .catch((error: unknown) => this.#failed(turn, error));
    journal.publish("turn-ended", { turnId: turn.id, ...end });
    const nothing = { answer: "", sessionId: null, isVoid: true } as const;
    turn.finish({ ...end, ...nothing });
    this.#parts.jobs.ended(turn, { ...end, ...nothing });
    onRest();
  }

  async #noteRevoked(turn: Turn, isCutOff: boolean): Promise<void> {
    const { journal } = this.#parts;
    const isWorking = this.#parts.jobs.work.length > 0;
    const activity = isWorking ? "working" : "idle";
    const idle = { activity, turn: null } as const;
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

  /** The conversation continues, so an earlier turn that was cut off can no longer be continued. */
  async #wentOn(): Promise<void> {
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

/** What the user reads of a failure, with the time at which a limit is over. */
function toError(said: string, problem: TurnProblem | null): string {
  const { text } = cutText(said, 4000);
  const resetsAt = problem?.resetsAt ?? null;
  if (resetsAt === null) return text;
  const [day, time = ""] = resetsAt.split("T");
  return `${text} (The limit resets on ${day} at ${time.slice(0, 5)} UTC.)`;
}
