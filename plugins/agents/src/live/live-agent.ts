import { createIdentifier } from "@gantry/plugin";
import { AgentChecklistChanged } from "../contract.ts";
import type { AgentSession, CompactOutcome, DriverEvent } from "../driver.ts";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { cutText } from "../transcript/entry.ts";
import { AgentJournal } from "./agent-journal.ts";
import {
  AgentBusy,
  CANCELLED,
  StoppedBefore,
  toEnd,
  toFailure,
  toMessageEntry,
  type Delivery,
  type TurnEnd,
} from "./delivery.ts";
import type { LiveHost } from "./live-host.ts";
import { LiveDialogs } from "./live-dialogs.ts";
import { Turn } from "./turn.ts";
import { TurnAccounts } from "./turn-accounts.ts";
import { growTurn } from "./turn-growth.ts";
import { Upkeep } from "./upkeep.ts";

/** An agent whose process is open: what it tells becomes records, entries and messages to those who watch. */
export class LiveAgent {
  readonly agentId: string;
  readonly dialogs: LiveDialogs;
  /** Called when a turn is over and written down. */
  onRest: () => void = () => undefined;
  /** It is being closed by us. */
  isClosing = false;
  readonly #host: LiveHost;
  readonly #journal: AgentJournal;
  readonly #accounts: TurnAccounts;
  readonly #lifetime = new AbortController();
  readonly #upkeep: Upkeep;
  #session: AgentSession | undefined;
  #turn: Turn | undefined;
  #finishing: Promise<void> | undefined;

  constructor(host: LiveHost, agent: AgentRecord) {
    this.#host = host;
    this.agentId = agent.id;
    this.#journal = new AgentJournal(host, agent);
    this.#accounts = new TurnAccounts(host, this.#journal);
    this.#upkeep = new Upkeep(this.#journal, this.#lifetime.signal);
    this.dialogs = new LiveDialogs({
      journal: this.#journal,
      log: host.log,
      session: () => this.session,
      turnId: () => this.#turn?.id ?? null,
      watch: () => host.watches.of(this.#turn?.origin.runId),
      signal: this.#lifetime.signal,
    });
  }

  /** @throws AGENT_CLOSED */
  get session(): AgentSession {
    if (!this.#session || this.#lifetime.signal.aborted)
      throw errors.AGENT_CLOSED();
    return this.#session;
  }

  /** Whether messages go to this session. */
  hasSession(sessionId: string): boolean {
    return sessionId === this.#journal.agent.sessionId;
  }

  get turn(): Turn | undefined {
    return this.#turn;
  }

  /** The model that answers, as the CLI calls it; `null` if it does not say. */
  get model(): string | null {
    return this.#accounts.model;
  }

  get isBusy(): boolean {
    return (
      this.#turn !== undefined ||
      this.#finishing !== undefined ||
      this.#upkeep.isRunning
    );
  }

  /** Resolves when nothing is going on, for a moment at least. */
  async untilIdle(): Promise<void> {
    while (this.isBusy)
      await (this.#turn?.outcome ?? this.#finishing ?? this.#upkeep.settled);
  }

  /** What is growing right now, for those who begin to watch. */
  snapshot(): object {
    const turn = this.#turn?.snapshot() ?? null;
    return { turn, dialogs: this.dialogs.shown };
  }

  /** The session is open, and so is the agent. */
  async attach(session: AgentSession): Promise<void> {
    this.#session = session;
    const { sessionId, fork } = this.#journal.agent;
    if (session.sessionId !== sessionId)
      await this.#journal.noteSession(session, fork === null);
    await this.#journal.save({
      state: "open",
      mode: "managed",
      activity: "idle",
      fork: null,
      ...this.#accounts.conversationOf(session),
    });
  }

  /**
   * Hands a prompt over and begins its turn. Resolves when the CLI has taken it. Rejects if it did not; the turn is
   * then over. Rejects with {@link AgentBusy} if there is a turn already.
   */
  async deliver(delivery: Delivery, signal: AbortSignal): Promise<Turn> {
    const { session } = this;
    if (this.isClosing) throw errors.AGENT_CLOSED();
    if (this.isBusy) throw new AgentBusy();
    const { turnId, taskId, runId, context, images } = delivery;
    const text = context + delivery.text;
    const turn = this.#begin(turnId, taskId, runId);
    try {
      await this.#journal.save({ activity: "working", turn: turn.origin });
      // Before the CLI gets it: after a crash, a message that is not in the transcript was certainly not sent.
      await this.#journal.append([toMessageEntry(delivery, "prompt")], true);
      if (turn.isStopped || this.isClosing) throw new StoppedBefore();
      turn.isSent = true;
      await session.prompt({ text, images }, signal);
    } catch (error) {
      // Who closes an agent stops its turn, whether the CLI had said anything of it yet or not.
      await this.#finish(turn, this.isClosing ? CANCELLED : toFailure(error));
      if (!this.isClosing) throw error;
    }
    return turn;
  }

  /** Hands a message into the running turn. Rejects if the CLI did not take it. */
  async steer(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { session } = this;
    const { text, images } = delivery;
    await this.#journal.append([toMessageEntry(delivery, "steer")], true);
    await session.steer({ text, images }, signal);
  }

  /** Tells the CLI to stop its turn, and that nobody will answer its questions. */
  async abort(signal: AbortSignal): Promise<void> {
    const turn = this.#turn;
    if (!turn) return;
    // A CLI that hears of the stop before it hears of the prompt would go on with it.
    if (turn.isSent) await this.session.abort(signal);
    else turn.isStopped = true;
    await this.dialogs.closeAll();
  }

  /**
   * Shrinks the conversation. Messages wait meanwhile. Rejects with {@link AgentBusy} during a turn.
   *
   * @throws AGENT_CLOSED, AGENT_UNSUPPORTED
   */
  async compact(signal: AbortSignal): Promise<CompactOutcome> {
    const { session } = this;
    if (this.isClosing) throw errors.AGENT_CLOSED();
    if (this.isBusy) throw new AgentBusy();
    return await this.#upkeep.compact(session, () => this.onRest(), signal);
  }

  /** Takes what the driver tells. A fault of ours costs this event, never the session. */
  async take(event: DriverEvent): Promise<void> {
    try {
      await this.#take(event);
    } catch (error) {
      const fields = { agent: this.agentId, type: event.type };
      const message = "What an agent told could not be kept";
      this.#host.log.error(message, fields, error);
    }
  }

  /** The process is gone: ends what was open, and the agent is closed. */
  async ended(
    stopReason: "cancelled" | "error",
    message: string,
  ): Promise<void> {
    this.#lifetime.abort();
    const turn = this.#turn;
    const error = stopReason === "error" ? message : null;
    if (turn) await this.#finish(turn, toEnd(stopReason, error));
    await this.#finishing;
    await this.dialogs.closeAll();
    if (!turn && error !== null) await this.#journal.notice(error);
    await this.#journal.save({
      state: "closed",
      mode: null,
      activity: "idle",
      turn: null,
      dialogs: [],
    });
    await this.#host.transcripts.of(this.agentId).close();
  }

  async #take(event: DriverEvent): Promise<void> {
    const turn = this.#turn;
    switch (event.type) {
      case "turn-started":
        return turn ? undefined : await this.#beginUnasked();
      case "usage":
        return await this.#accounts.spend(turn, event);
      case "dialog-opened":
        return await this.dialogs.ask(event.dialog);
      case "dialog-closed":
        return await this.dialogs.withdraw(event.dialogId);
      case "model":
        this.#accounts.model = event.model;
        return;
      case "commands": {
        const commands = [...event.commands];
        return await this.#host.notes.change(this.agentId, () => ({
          commands,
        }));
      }
      case "plan": {
        const checklist = [...event.items];
        await this.#host.notes.change(this.agentId, () => ({ checklist }), [
          AgentChecklistChanged.of(this.agentId, { items: checklist.length }),
        ]);
        return this.#journal.publish("checklist", { items: checklist });
      }
      case "session": {
        const { sessionId, resumeKey } = event;
        await this.#journal.noteSession(event, false);
        return await this.#journal.save({ sessionId, resumeKey });
      }
      case "notice":
        return await this.#journal.notice(event.text, this.#turn?.id);
      case "turn-ended":
        return turn && (await this.#finish(turn, event));
      default:
        return turn && (await growTurn(turn, event, this.#journal));
    }
  }

  #begin(id: string, taskId: string | null, runId: string | null): Turn {
    const startedAt = this.#host.clock.timestamp();
    const turn = new Turn({ id, taskId, runId, startedAt });
    this.#accounts.begin(turn);
    this.#turn = turn;
    this.#journal.publish("turn-started", { turnId: id, taskId, runId });
    return turn;
  }

  /** The CLI began to work by itself, as extensions may make it do. */
  async #beginUnasked(): Promise<void> {
    const turn = this.#begin(createIdentifier("trn"), null, null);
    turn.isSent = true;
    await this.#journal.save({ activity: "working", turn: turn.origin });
  }

  /** Ends a turn once. Those who wait hear of it when it is written down. */
  async #finish(turn: Turn, end: TurnEnd): Promise<void> {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    const { stopReason, answer } = end;
    const { sessionId, resumeKey } = this.#session ?? this.#journal.agent;
    const outcome = {
      stopReason,
      answer,
      error: end.error === null ? null : cutText(end.error, 4000).text,
      usage: turn.usage,
      sessionId,
    };
    const written = this.dialogs
      .closeAll()
      .then(() => this.#accounts.close(turn, outcome, resumeKey))
      .finally(() => {
        this.#finishing = undefined;
        turn.finish(outcome);
        this.onRest();
      });
    this.#finishing = written.catch(() => undefined);
    await written;
  }
}
