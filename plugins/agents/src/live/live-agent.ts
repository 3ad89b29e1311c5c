import { isDeepStrictEqual } from "node:util";
import type { AgentSession, CompactOutcome, DriverEvent } from "../driver.ts";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { AgentJournal } from "./agent-journal.ts";
import { ContextMeter } from "./context-meter.ts";
import {
  AgentBusy,
  NotDelivered,
  StoppedBefore,
  Unconfirmed,
  type Delivery,
} from "./delivery.ts";
import { DriverEvents } from "./driver-events.ts";
import {
  handOver,
  type HandOverResult,
  type HandOverState,
} from "./hand-over.ts";
import { Jobs } from "./jobs.ts";
import type { LiveHost } from "./live-host.ts";
import { LiveDialogs } from "./live-dialogs.ts";
import { describeWork } from "./open-work.ts";
import type { Turn } from "./turn.ts";
import { TurnAccounts } from "./turn-accounts.ts";
import { LiveTurns, type AgentEnd } from "./live-turns.ts";
import { Upkeep } from "./upkeep.ts";

/** An agent whose process is open. Its driver's events become records, entries and messages to viewers. */
export class LiveAgent {
  readonly agentId: string;
  readonly dialogs: LiveDialogs;
  /** Called when a turn is over and written down. */
  onRest: () => void = () => undefined;
  /** It is being closed by us. */
  isClosing = false;
  /** It is being closed because the daemon stops. */
  isDaemonStopping = false;
  readonly #host: LiveHost;
  readonly #journal: AgentJournal;
  readonly #jobs: Jobs;
  readonly #accounts: TurnAccounts;
  readonly #context: ContextMeter;
  readonly #turns: LiveTurns;
  readonly #events: DriverEvents;
  readonly #lifetime = new AbortController();
  readonly #upkeep: Upkeep;
  /** Messages whose delivery is not decided yet. */
  readonly #handing = new Set<Promise<unknown>>();
  #session: AgentSession | undefined;

  constructor(host: LiveHost, agent: AgentRecord) {
    this.#host = host;
    this.agentId = agent.id;
    this.#journal = new AgentJournal(host, agent);
    this.#jobs = new Jobs({
      clock: host.clock,
      silenceMs: host.silentWorkMs,
      onWork: () => void this.#noteWork(),
      onSilent: ({ title }) => void this.#noteSilent(title),
    });
    this.#accounts = new TurnAccounts(host, this.#journal, this.#jobs);
    this.#context = new ContextMeter(this.#journal);
    this.#upkeep = new Upkeep(
      this.#journal,
      this.#context,
      this.#lifetime.signal,
    );
    this.dialogs = new LiveDialogs({
      journal: this.#journal,
      clock: host.clock,
      log: host.log,
      session: () => this.session,
      turnId: () => this.turn?.id ?? null,
      watch: () =>
        host.watches.of((this.turn?.origin ?? this.#jobs.waiting)?.runId),
      isWorking: () => this.#jobs.isOpen,
      signal: this.#lifetime.signal,
      stopping: host.signal,
    });
    this.#turns = new LiveTurns(host, {
      journal: this.#journal,
      accounts: this.#accounts,
      dialogs: this.dialogs,
      jobs: this.#jobs,
      conversation: () => this.#conversation(),
      isDaemonStopping: () => this.isDaemonStopping,
      onRest: () => this.onRest(),
    });
    this.#events = new DriverEvents(host, {
      journal: this.#journal,
      accounts: this.#accounts,
      context: this.#context,
      dialogs: this.dialogs,
      turns: this.#turns,
      jobs: this.#jobs,
      isClosing: () => this.isClosing,
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
    return this.#turns.current;
  }

  /** The model that answers, as the CLI calls it; `null` if it does not say. */
  get model(): string | null {
    return this.#accounts.model;
  }

  /** Whether messages wait: for the end of a turn, or of upkeep. */
  get isBusy(): boolean {
    return this.#turns.isBusy || this.#upkeep.isRunning;
  }

  /** Whether something would be lost if it were closed: it is busy, or has work in the background. */
  get isAtWork(): boolean {
    return this.isBusy || this.#jobs.isOpen;
  }

  /** Whether it has work in the background, or owes a report of it. */
  get hasOpenWork(): boolean {
    return this.#jobs.isOpen;
  }

  /** Resolves when nothing is in progress, for a moment at least. */
  async untilIdle(): Promise<void> {
    while (this.isAtWork) {
      if (this.#turns.isBusy) await this.#turns.settled;
      else if (this.#upkeep.isRunning) await this.#upkeep.settled;
      else await this.#jobs.quiet;
    }
  }

  /** What it is doing, in sentences for the user; `null` if nothing is known. */
  describe(): string | null {
    const { work } = this.#jobs;
    const steps = [
      this.turn
        ? (this.turn.lastStep ?? "It had not said anything yet.")
        : null,
      work.length > 0 ? describeWork(work) : null,
    ];
    return steps.filter((step) => step !== null).join(" ") || null;
  }

  /** What is growing right now, for new viewers. */
  snapshot(): object {
    const turn = this.turn?.snapshot() ?? null;
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
      context: this.#context.of(session),
      ...this.#accounts.conversationOf(session),
    });
    void this.#host.checkpoints.warm(this.#journal.agent);
  }

  /**
   * Hands a prompt over and begins its turn. Resolves when the CLI has confirmed it. The turn is over when it rejects:
   * with {@link NotDelivered} if the CLI certainly does not have the prompt and it is to be sent again,
   * {@link StoppedBefore} if the user stopped it, {@link Unconfirmed} if nothing shows whether the CLI has it, and else
   * with why the CLI refused it.
   */
  async deliver(delivery: Delivery): Promise<Turn> {
    const session = this.#receiver();
    if (this.isBusy) throw new AgentBusy("The agent is working.");
    const { turnId, taskId, runId } = delivery;
    const turn = this.#turns.begin(turnId, taskId, runId);
    throwUnlessConfirmed(
      await this.#track(this.#deliver(session, turn, delivery)),
    );
    return turn;
  }

  /** Hands a message into the running turn. Resolves and rejects as {@link deliver} does. */
  async steer(delivery: Delivery): Promise<void> {
    // Whatever the turn has done, it did of its prompt.
    const state = { isSent: false, isStopped: false, hasWorked: false };
    const session = this.#receiver();
    const handing = this.#handOver(session, delivery, "steer", state);
    throwUnlessConfirmed(await this.#track(handing));
  }

  /** Makes the CLI stop its turn, and cancels its questions. */
  async abort(signal: AbortSignal): Promise<void> {
    const { turn } = this;
    if (!turn) return await this.#stopWork(signal);
    turn.stopped.abort();
    // A CLI that gets the stop before the prompt would work on the prompt.
    if (turn.isSent) await this.session.abort(signal);
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
    if (this.isBusy) throw new AgentBusy("The agent is working.");
    return await this.#upkeep.compact(session, () => this.onRest(), signal);
  }

  /** Notes that its tools have changed, and which of its servers keep it from being restarted. */
  async notePendingRestart(ports: readonly number[]): Promise<void> {
    const pendingRestart = { ports: [...ports] };
    const { pendingRestart: before } = this.#journal.agent;
    if (isDeepStrictEqual(before, pendingRestart)) return;
    await this.#journal
      .save({ pendingRestart })
      .catch((error: unknown) => this.#failed("restart", error));
  }

  /** Takes an event of the driver. An error of ours costs this event, never the session. */
  async take(event: DriverEvent): Promise<void> {
    try {
      await this.#events.take(event);
    } catch (error) {
      this.#failed(event.type, error);
    }
  }

  /** The process is gone: ends what was open, and the agent is closed. */
  async ended(end: AgentEnd): Promise<void> {
    this.#lifetime.abort();
    await Promise.allSettled(this.#handing);
    const hadTurn = await this.#turns.ended(end);
    await this.dialogs.closeAll();
    const lost = this.#jobs.close({
      stopReason: end.kind === "failed" ? "error" : "cancelled",
      error: end.kind === "failed" ? end.message : null,
    });
    const said = !hadTurn && end.kind === "failed" ? [end.message] : [];
    const words = [...said, ...(lost === undefined ? [] : [lost])].join(" ");
    if (words !== "") await this.#journal.notice(words);
    await this.#journal.save({
      state: "closed",
      mode: null,
      activity: "idle",
      turn: null,
      dialogs: [],
      openWork: [],
      pendingRestart: null,
    });
    await this.#host.transcripts.of(this.agentId).close();
  }

  /** Stops the background work, and no longer waits for it. */
  async #stopWork(signal: AbortSignal): Promise<void> {
    const { session } = this;
    const { work } = this.#jobs;
    for (const { id } of work) await session.stopWork?.(id, signal);
    this.#jobs.stop();
    await this.dialogs.closeAll();
  }

  /** Keeps the record in step with the work in the background. */
  async #noteWork(): Promise<void> {
    if (this.#lifetime.signal.aborted || !this.#session) return;
    const change = () => ({
      openWork: this.#jobs.work,
      activity: this.#activity(),
    });
    await this.#journal
      .save(change)
      .catch((error: unknown) => this.#failed("work", error));
    if (!this.isAtWork && !this.isClosing) this.onRest();
  }

  async #noteSilent(title: string): Promise<void> {
    const what = title === "" ? "A background task" : `"${title}"`;
    const text = `${what} has not reported for long, so it is no longer waited for.`;
    await this.#journal
      .notice(text)
      .catch((error: unknown) => this.#failed("work", error));
  }

  #activity(): AgentRecord["activity"] {
    if (this.dialogs.shown.length > 0) return "waiting";
    return this.isAtWork ? "working" : "idle";
  }

  #failed(type: string, error: unknown): void {
    const fields = { agent: this.agentId, type };
    const message = "An event of an agent could not be stored";
    this.#host.log.error(message, fields, error);
  }

  /** @throws NotDelivered */
  #receiver(): AgentSession {
    const isOpen = !this.isClosing && !this.#lifetime.signal.aborted;
    if (!this.#session || !isOpen)
      throw new NotDelivered("The agent is being closed.");
    return this.#session;
  }

  async #deliver(
    session: AgentSession,
    turn: Turn,
    delivery: Delivery,
  ): Promise<HandOverResult> {
    const handOver = async () => {
      const signals = [turn.stopped.signal, this.#lifetime.signal];
      await this.#host.checkpoints.begin(
        turn.id,
        this.#journal.agent,
        AbortSignal.any(signals),
      );
      return await this.#handOver(session, delivery, "prompt", turn);
    };
    const result = await this.#turns
      .noteBegin(turn)
      .then(handOver, (cause: unknown): HandOverResult => {
        const error = new NotDelivered("It could not be noted.", { cause });
        return { kind: "not-delivered", error };
      });
    await this.#turns.handed(turn, delivery, result);
    return result;
  }

  #handOver(
    session: AgentSession,
    delivery: Delivery,
    kind: "prompt" | "steer",
    state: HandOverState,
  ): Promise<HandOverResult> {
    const host = {
      session,
      journal: this.#journal,
      isClosing: () => this.isClosing,
      holdsPrompt: (text: string, since: string) =>
        this.#host.cliRecords.holdsPrompt(this.#conversation(), text, since),
    };
    return handOver(host, delivery, kind, state);
  }

  async #track<Result>(handing: Promise<Result>): Promise<Result> {
    this.#handing.add(handing);
    try {
      return await handing;
    } finally {
      this.#handing.delete(handing);
    }
  }

  /** The conversation that the CLI has now. */
  #conversation() {
    const { cli, cwd } = this.#journal.agent;
    const { sessionId, resumeKey } = this.#session ?? this.#journal.agent;
    return { cli, cwd, sessionId, resumeKey };
  }
}

function throwUnlessConfirmed(result: HandOverResult): void {
  switch (result.kind) {
    case "confirmed":
      return;
    case "stopped":
      throw new StoppedBefore();
    case "unconfirmed":
      throw new Unconfirmed();
    case "not-delivered":
    case "failed":
      throw result.error;
  }
}
