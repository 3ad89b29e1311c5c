import type { PluginContext } from "@gantry/plugin";
import type { AgentsConfig } from "../config.ts";
import type { AgentSession } from "@gantry/agent-kit";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { EarlierSession } from "../transcript/find-session.ts";
import { AgentJournal } from "./agent-journal.ts";
import {
  createMember,
  followEnd,
  isAtRest,
  longestAtRest,
  type FleetMember,
} from "./fleet-member.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { LiveAgent } from "./live-agent.ts";
import type { LiveHost } from "./live-host.ts";
import type { SessionLock } from "./session-locks.ts";
import type { OpenOptions, SessionOpener } from "./session-opener.ts";

/** Dependencies of {@link Fleet}. */
export interface FleetHost extends LiveHost {
  opener: SessionOpener;
  limits: AgentsConfig["limits"];
  /** Completes the recovery of an agent after a crash. Rejects with AGENT_CLI_MISSING while its driver is missing. */
  finishRecovery(agentId: string): Promise<void>;
  /** Runs work outside the request, so that its writes do not claim the request's idempotency key. */
  prepare: PluginContext["prepare"];
  /** Whether a message may be about to be sent to the agent. */
  isWanted(agentId: string): boolean;
  /** Called when an open agent became idle and can take messages. */
  onRest(agentId: string): void;
  /** Called when an agent was closed. With `isRetired` it was closed for being idle, and messages may be waiting for it. */
  onClosed(agentId: string, isRetired: boolean): void;
}

/** Time for CLIs to end when the daemon stops; shorter than for other stops, to fit into the daemon's own shutdown. */
const STOP_ALL_TIMEOUT_MS = 2500;

const STALE = "The tools that it may use have changed.";

/** The open agents. Starts and stops of one agent are serialized. */
export class Fleet {
  readonly #host: FleetHost;
  readonly #members = new Map<string, FleetMember>();
  readonly #starting = new Map<string, AbortController>();
  readonly #mutex = new KeyedMutex();
  /** Number of runs that use an agent exclusively or wait for it. */
  readonly #takers = new Map<string, number>();

  constructor(host: FleetHost) {
    this.#host = host;
  }

  get(agentId: string): LiveAgent | undefined {
    return this.#members.get(agentId)?.live;
  }

  /** The agent, if it can take messages now. */
  receiver(agentId: string): LiveAgent | undefined {
    const member = this.#members.get(agentId);
    return member && !member.isTaken && member.closing === undefined
      ? member.live
      : undefined;
  }

  /** Whether a run uses the agent exclusively or waits for it. */
  isTaken(agentId: string): boolean {
    return this.#takers.has(agentId);
  }

  /** Whether the current turn belongs to a run, or a run uses the agent exclusively. */
  isRunning(agentId: string): boolean {
    const { runId = null } = this.get(agentId)?.turn?.origin ?? {};
    return runId !== null || this.isTaken(agentId);
  }

  /** Whether a turn is running, or the agent is being opened. */
  isBusy(agentId: string): boolean {
    const isWorking = this.get(agentId)?.isBusy ?? false;
    return isWorking || this.isTaken(agentId) || this.#starting.has(agentId);
  }

  /** Runs work while nothing else starts or stops the agent. */
  exclusively<Result>(
    agentId: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return this.#mutex.run(agentId, work);
  }

  /** As {@link exclusively}, for a run; {@link isTaken} is true until `work` ends. */
  async take<Result>(
    agentId: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    this.#takers.set(agentId, (this.#takers.get(agentId) ?? 0) + 1);
    try {
      return await this.exclusively(agentId, work);
    } finally {
      const left = this.#takers.get(agentId)! - 1;
      if (left > 0) this.#takers.set(agentId, left);
      else this.#takers.delete(agentId);
    }
  }

  /**
   * Opens an agent, or returns it if it is open. Throws what {@link SessionOpener.open} throws, AGENT_LIMIT_REACHED, and
   * AGENT_NOT_FOUND if it was deleted meanwhile.
   */
  start(agentId: string, signal: AbortSignal): Promise<LiveAgent> {
    const start = async () => {
      const member = this.#members.get(agentId);
      if (member?.closing !== undefined) await member.gone;
      else if (member) return member.live;
      return await this.open(agentId, { fresh: false, isTaken: false }, signal);
    };
    return this.#host.prepare(() => this.exclusively(agentId, start));
  }

  /**
   * Opens an agent with one of its earlier sessions in place of the current one. Does nothing if it is the current one, or
   * if a turn is running. Throws AGENT_SESSION_UNKNOWN if the CLI no longer has the session, and what {@link start} throws.
   */
  goBack(
    agentId: string,
    earlier: EarlierSession,
    signal: AbortSignal,
  ): Promise<LiveAgent> {
    const open = async () => {
      const member = this.#members.get(agentId);
      if (member?.closing !== undefined) await member.gone;
      else if (member) {
        const { live } = member;
        if (live.hasSession(earlier.sessionId) || !isAtRest(member))
          return live;
        await this.#retire(member, "It continues an earlier session.");
      }
      const options = { fresh: false, earlier, isTaken: false };
      return await this.open(agentId, options, signal);
    };
    return this.#host.prepare(() => this.exclusively(agentId, open));
  }

  /** Closes an agent as soon as it is idle, so that its next message opens it again. Returns at once. */
  renew(agentId: string): void {
    // Serialized with a start in progress, which may be using the earlier tools.
    const renew = async () => {
      const member = this.#members.get(agentId);
      if (!member || member.isTaken) return;
      member.isStale = true;
      if (this.#mayRetire(member)) await this.#retire(member, STALE);
    };
    this.exclusively(agentId, renew).catch((error: unknown) =>
      this.#host.log.error("An agent could not be renewed", { agentId }, error),
    );
  }

  /** Opens an agent that is closed. Call it inside {@link exclusively}. */
  async open(
    agentId: string,
    options: OpenOptions & { isTaken: boolean },
    signal: AbortSignal,
  ): Promise<LiveAgent> {
    if (this.#host.signal.aborted) throw errors.AGENT_STOPPING();
    const abort = new AbortController();
    // Before the first await, so that concurrent starts count each other.
    this.#starting.set(agentId, abort);
    try {
      await this.#makeRoom();
      const signals = [signal, abort.signal, this.#host.signal];
      return await this.#start(agentId, options, AbortSignal.any(signals));
    } finally {
      this.#starting.delete(agentId);
    }
  }

  async #start(
    agentId: string,
    options: OpenOptions & { isTaken: boolean },
    signal: AbortSignal,
  ): Promise<LiveAgent> {
    await this.#host.finishRecovery(agentId);
    // Read only now, since the work before this may have changed the record.
    const stored = await this.#host.records.agents.get(agentId);
    if (!stored) throw errors.AGENT_NOT_FOUND({ id: agentId });
    if (stored.mode === "terminal") throw errors.AGENT_IN_TERMINAL();
    const { earlier } = options;
    const agent = earlier ? { ...stored, ...earlier, fork: null } : stored;
    const live = new LiveAgent(this.#host, agent);
    const { session, lock } = await this.#host.opener.open(
      agent,
      options,
      (event) => live.take(event),
      signal,
    );
    try {
      if (earlier) await this.#checkReturn(agent, earlier, session);
      await live.attach(session);
    } catch (error) {
      await session.kill();
      await lock.release();
      throw error;
    }
    this.#join(live, lock, options.isTaken);
    return live;
  }

  /**
   * Closes an agent and resolves when it is closed and `then` has ended. Aborts a start in progress; a start that is
   * requested later begins after `then`.
   */
  async stop(
    agentId: string,
    reason: string,
    then: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    this.#starting.get(agentId)?.abort(new Error(reason));
    const stopped = this.exclusively(agentId, async () => {
      await this.close(agentId, reason);
      await then();
    });
    // Also outside `exclusively`, since a run that holds it ends only when its agent is closed.
    await Promise.all([this.close(agentId, reason), stopped]);
  }

  /** As {@link stop}, for callers inside {@link exclusively}. */
  async close(agentId: string, reason: string): Promise<void> {
    await this.#close(agentId, reason, (session) => session.end());
  }

  /** Ends the process of an agent at once. */
  async kill(
    agentId: string,
    reason: string,
    isDaemonStopping = false,
  ): Promise<void> {
    const live = this.get(agentId);
    if (live && isDaemonStopping) live.isDaemonStopping = true;
    await this.#close(agentId, reason, (session) => session.kill());
  }

  /** Stops the current turn. Ends the CLI if it does not stop within `limits.abortMs`. Returns whether a turn was running. */
  async abort(agentId: string): Promise<boolean> {
    const live = this.get(agentId);
    const turn = live?.turn;
    if (!live || !turn) return false;
    const { clock, limits, signal } = this.#host;
    const overdue = clock.after(limits.abortMs, () => {
      void this.kill(
        agentId,
        "It did not stop when requested, so its process was ended.",
      );
    });
    try {
      await live.abort(signal).catch(() => undefined);
      await turn.outcome;
      return true;
    } finally {
      overdue();
    }
  }

  /** Closes all agents because the daemon stops. Kills those that do not end within {@link STOP_ALL_TIMEOUT_MS}. */
  async stopAll(reason: string): Promise<void> {
    for (const { live } of this.#members.values()) live.isDaemonStopping = true;
    for (const abort of this.#starting.values()) abort.abort(new Error(reason));
    // Including those that are starting, since one may be open before its start is aborted.
    const ids = [...this.#members.keys(), ...this.#starting.keys()];
    const overdue = this.#host.clock.after(STOP_ALL_TIMEOUT_MS, () => {
      for (const agentId of ids) void this.kill(agentId, reason);
    });
    await Promise.all(ids.map((agentId) => this.stop(agentId, reason)));
    overdue();
  }

  /** @throws AGENT_SESSION_UNKNOWN if the CLI began another session. */
  async #checkReturn(
    agent: AgentRecord,
    earlier: EarlierSession,
    session: AgentSession,
  ): Promise<void> {
    if (session.sessionId !== earlier.sessionId)
      throw errors.AGENT_SESSION_UNKNOWN({ session: earlier.sessionId });
    await new AgentJournal(this.#host, agent).noteReturn(earlier);
  }

  #join(live: LiveAgent, lock: SessionLock, isTaken: boolean): void {
    const { agentId } = live;
    const member = createMember(
      live,
      lock,
      isTaken,
      this.#host.clock.monotonic(),
    );
    this.#members.set(agentId, member);
    member.gone = followEnd(member, this.#host.log).then(() => {
      this.#members.delete(agentId);
      this.#host.onClosed(agentId, member.isRetired);
    });
    live.onRest = () => this.#rest(member);
    this.#rest(member);
  }

  /** Called when an agent became idle: starts its idle timer and reports that it can take messages. */
  #rest(member: FleetMember): void {
    member.restedAt = this.#host.clock.monotonic();
    member.stopIdleTimer();
    if (member.isTaken) return;
    this.#retireLater(member);
    this.#host.onRest(member.live.agentId);
    if (member.isStale && this.#mayRetire(member))
      void this.#retire(member, STALE);
  }

  #retireLater(member: FleetMember): void {
    const { clock, limits } = this.#host;
    member.stopIdleTimer = clock.after(limits.idleCloseMs, () => {
      if (!this.#mayRetire(member)) this.#retireLater(member);
      else void this.#retire(member, "It was idle for a while.");
    });
  }

  async #close(
    agentId: string,
    reason: string,
    end: (session: AgentSession) => Promise<void>,
  ): Promise<void> {
    const member = this.#members.get(agentId);
    if (!member) return;
    member.isRetired = false;
    await this.#end(member, reason, end);
  }

  /** Closes an idle agent without a request to do so. */
  async #retire(member: FleetMember, reason: string): Promise<void> {
    member.isRetired = true;
    await this.#end(member, reason, (session) => session.end());
  }

  /** Whether the agent is idle and has no open question. */
  #mayRetire(member: FleetMember): boolean {
    return member.live.dialogs.shown.length === 0 && this.#isAtRest(member);
  }

  #isAtRest(member: FleetMember): boolean {
    return isAtRest(member) && !this.#host.isWanted(member.live.agentId);
  }

  async #end(
    member: FleetMember,
    reason: string,
    end: (session: AgentSession) => Promise<void>,
  ): Promise<void> {
    member.closing ??= reason;
    member.live.isClosing = true;
    await end(member.session).catch(() => undefined);
    await member.gone;
  }

  /** Closes the longest idle agent if the limit is reached. @throws AGENT_LIMIT_REACHED if none is idle */
  async #makeRoom(): Promise<void> {
    const { openAgents } = this.#host.limits;
    // `#starting` includes the agent that room is made for.
    if (this.#members.size + this.#starting.size <= openAgents) return;
    const idle = longestAtRest(
      [...this.#members.values()].filter((member) => this.#isAtRest(member)),
    );
    if (!idle) throw errors.AGENT_LIMIT_REACHED({ limit: openAgents });
    await this.#retire(idle, "Another agent was opened at the limit.");
  }
}
