import type {
  AgentSession,
  CompactOutcome,
  DriverEvent,
} from "@gantry/agent-kit";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import { AgentJournal } from "./agent-journal.ts";
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
import type { LiveHost } from "./live-host.ts";
import { LiveDialogs } from "./live-dialogs.ts";
import type { Turn } from "./turn.ts";
import { TurnAccounts } from "./turn-accounts.ts";
import { LiveTurns, type AgentEnd } from "./live-turns.ts";
import { LiveCompaction } from "./live-compaction.ts";

/** An agent whose process is open. Stores its driver's events as records and entries, and publishes them to viewers. */
export class LiveAgent {
  readonly agentId: string;
  readonly dialogs: LiveDialogs;
  /** Called when the agent became idle: its turn has ended and is stored, or its compaction has ended. */
  onRest: () => void = () => undefined;
  /** Whether the daemon is closing the agent. */
  isClosing = false;
  /** Whether the agent is being closed because the daemon stops. */
  isDaemonStopping = false;
  readonly #host: LiveHost;
  readonly #journal: AgentJournal;
  readonly #accounts: TurnAccounts;
  readonly #turns: LiveTurns;
  readonly #events: DriverEvents;
  readonly #lifetime = new AbortController();
  readonly #compaction: LiveCompaction;
  /** Deliveries in progress. */
  readonly #handing = new Set<Promise<unknown>>();
  #session: AgentSession | undefined;

  constructor(host: LiveHost, agent: AgentRecord) {
    this.#host = host;
    this.agentId = agent.id;
    this.#journal = new AgentJournal(host, agent);
    this.#accounts = new TurnAccounts(host, this.#journal);
    this.#compaction = new LiveCompaction(this.#journal, this.#lifetime.signal);
    this.dialogs = new LiveDialogs({
      journal: this.#journal,
      clock: host.clock,
      log: host.log,
      session: () => this.session,
      turnId: () => this.turn?.id ?? null,
      watch: () => host.watches.of(this.turn?.origin.runId),
      signal: this.#lifetime.signal,
      stopping: host.signal,
    });
    this.#turns = new LiveTurns(host, {
      journal: this.#journal,
      accounts: this.#accounts,
      dialogs: this.dialogs,
      conversation: () => this.#conversation(),
      isDaemonStopping: () => this.isDaemonStopping,
      onRest: () => this.onRest(),
    });
    this.#events = new DriverEvents(host, {
      journal: this.#journal,
      accounts: this.#accounts,
      dialogs: this.dialogs,
      turns: this.#turns,
      isClosing: () => this.isClosing,
    });
  }

  /** @throws AGENT_CLOSED */
  get session(): AgentSession {
    if (!this.#session || this.#lifetime.signal.aborted)
      throw errors.AGENT_CLOSED();
    return this.#session;
  }

  /** Whether this session is the current one. */
  hasSession(sessionId: string): boolean {
    return sessionId === this.#journal.agent.sessionId;
  }

  get turn(): Turn | undefined {
    return this.#turns.current;
  }

  /** The current model, as the CLI names it; `null` if unknown. */
  get model(): string | null {
    return this.#accounts.model;
  }

  get isBusy(): boolean {
    return this.#turns.isBusy || this.#compaction.isRunning;
  }

  /** Resolves when the agent is idle; it may be busy again right after. */
  async untilIdle(): Promise<void> {
    while (this.isBusy)
      await (this.#turns.isBusy
        ? this.#turns.settled
        : this.#compaction.settled);
  }

  /** The turn in progress and the open questions, for a new viewer. */
  snapshot(): object {
    const turn = this.turn?.snapshot() ?? null;
    return { turn, dialogs: this.dialogs.shown };
  }

  /** Stores that the agent is open with this session. */
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
   * Sends a prompt and begins its turn. Resolves when the CLI has confirmed the prompt. If it rejects, the turn has ended:
   *
   * - {@link NotDelivered}: the CLI certainly did not receive the prompt, which can be sent again.
   * - {@link StoppedBefore}: the user stopped it.
   * - {@link Unconfirmed}: it is unknown whether the CLI received it.
   * - any other error: why the CLI refused it.
   */
  async deliver(delivery: Delivery): Promise<Turn> {
    const session = this.#receiver();
    if (this.isBusy) throw new AgentBusy("The agent is busy.");
    const { turnId, taskId, runId } = delivery;
    const turn = this.#turns.begin(turnId, taskId, runId);
    throwUnlessConfirmed(
      await this.#track(this.#deliver(session, turn, delivery)),
    );
    return turn;
  }

  /** Sends a message into the turn in progress. Resolves and rejects as {@link deliver} does. */
  async steer(delivery: Delivery): Promise<void> {
    // A state of its own: work of the turn so far does not prove that the CLI received this message.
    const state = { isSent: false, isStopped: false, hasWorked: false };
    const session = this.#receiver();
    const handing = this.#handOver(session, delivery, "steer", state);
    throwUnlessConfirmed(await this.#track(handing));
  }

  /** Makes the CLI stop its turn, and cancels its questions. */
  async abort(signal: AbortSignal): Promise<void> {
    const { turn } = this;
    if (!turn) return;
    turn.isStopped = true;
    // A CLI that receives the abort before the prompt would still work on the prompt.
    if (turn.isSent) await this.session.abort(signal);
    await this.dialogs.closeAll();
  }

  /**
   * Compacts the conversation. Messages wait meanwhile. Rejects with {@link AgentBusy} during a turn.
   *
   * @throws AGENT_CLOSED, AGENT_UNSUPPORTED
   */
  async compact(signal: AbortSignal): Promise<CompactOutcome> {
    const { session } = this;
    if (this.isClosing) throw errors.AGENT_CLOSED();
    if (this.isBusy) throw new AgentBusy("The agent is busy.");
    return await this.#compaction.compact(session, () => this.onRest(), signal);
  }

  /** Handles an event of the driver. If that fails, only this event is lost; the session continues. */
  async take(event: DriverEvent): Promise<void> {
    try {
      await this.#events.take(event);
    } catch (error) {
      const fields = { agent: this.agentId, type: event.type };
      const message = "An event of an agent could not be stored";
      this.#host.log.error(message, fields, error);
    }
  }

  /** Ends the turn and the questions after the process has ended, and stores that the agent is closed. */
  async ended(end: AgentEnd): Promise<void> {
    this.#lifetime.abort();
    await Promise.allSettled(this.#handing);
    const hadTurn = await this.#turns.ended(end);
    await this.dialogs.closeAll();
    if (!hadTurn && end.kind === "failed")
      await this.#journal.notice(end.message);
    await this.#journal.save({
      state: "closed",
      mode: null,
      activity: "idle",
      turn: null,
      dialogs: [],
    });
    await this.#host.transcripts.of(this.agentId).close();
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
    const result = await this.#turns.noteBegin(turn).then(
      () => this.#handOver(session, delivery, "prompt", turn),
      (cause: unknown): HandOverResult => {
        const error = new NotDelivered("The turn could not be stored.", {
          cause,
        });
        return { kind: "not-delivered", error };
      },
    );
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

  /** The CLI's current conversation. */
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
