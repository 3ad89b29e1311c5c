import type { PluginContext } from "@gantry/plugin";
import type { AgentsConfig } from "../config.ts";
import type { AgentSession } from "../driver.ts";
import { errors } from "../errors.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { EarlierSession } from "../transcript/find-session.ts";
import { AgentJournal } from "./agent-journal.ts";
import {
  createMember,
  followEnd,
  isAtRest,
  type FleetMember,
} from "./fleet-member.ts";
import { IdleCloser, type IdleCloserHost } from "./idle-closer.ts";
import { Lanes } from "./lanes.ts";
import { LiveAgent } from "./live-agent.ts";
import type { LiveHost } from "./live-host.ts";
import type { SessionLock } from "./session-locks.ts";
import type { OpenOptions, SessionOpener } from "./session-opener.ts";

/** Dependencies of {@link Fleet}. */
export interface FleetHost extends LiveHost, IdleCloserHost {
  opener: SessionOpener;
  limits: AgentsConfig["limits"];
  clock: LiveHost["clock"];
  /** Decides what an earlier daemon left undecided of an agent. Rejects with AGENT_CLI_MISSING if that cannot be yet. */
  finishRecovery(agentId: string): Promise<void>;
  /** Runs work that is not the effect of a request. */
  prepare: PluginContext["prepare"];
  /** An agent is open and at rest: messages may go out. Resolves when those that wait have been sent. */
  onRest(agentId: string): Promise<void>;
  /** An agent was closed; by us, because it was at rest, if `isRetired`: then it may be wanted again already. */
  onClosed(agentId: string, isRetired: boolean): void;
}

/** A daemon that stops has less time than a CLI may take that is ended for another reason. */
const STOP_ALL_MS = 2500;

/** All agents whose processes are open. Starts and stops of one agent happen one after the other. */
export class Fleet {
  readonly #host: FleetHost;
  readonly #members = new Map<string, FleetMember>();
  readonly #starting = new Map<string, AbortController>();
  readonly #lanes = new Lanes();
  /** How many runs have an agent to themselves or wait for it. */
  readonly #takers = new Map<string, number>();
  readonly #idleCloser: IdleCloser;

  constructor(host: FleetHost) {
    this.#host = host;
    this.#idleCloser = new IdleCloser(host, (member, reason) =>
      this.#retire(member, reason),
    );
  }

  get(agentId: string): LiveAgent | undefined {
    return this.#members.get(agentId)?.live;
  }

  /** The agent, if messages may go to it now. */
  receiver(agentId: string): LiveAgent | undefined {
    const member = this.#members.get(agentId);
    return member && !member.isTaken && member.closing === undefined
      ? member.live
      : undefined;
  }

  /** Whether a run has it to itself, from when it is to begin. Callers do not wait for its end. */
  isTaken(agentId: string): boolean {
    return this.#takers.has(agentId);
  }

  /** Whether it answers a run, or a run has it to itself. */
  isRunning(agentId: string): boolean {
    const { runId = null } = this.get(agentId)?.turn?.origin ?? {};
    return runId !== null || this.isTaken(agentId);
  }

  /** Whether it is working or starting. */
  isBusy(agentId: string): boolean {
    const isAtWork = this.get(agentId)?.isAtWork ?? false;
    return isAtWork || this.isTaken(agentId) || this.#starting.has(agentId);
  }

  /** Runs work while nothing else starts or stops the agent. */
  exclusively<Result>(
    agentId: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return this.#lanes.run(agentId, work);
  }

  /** As {@link exclusively}, for a run that has the agent to itself. */
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
   * Opens an agent; harmless if it is open. Throws what {@link SessionOpener.open} throws, AGENT_LIMIT_REACHED, and
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
   * Opens an agent with an earlier session of it, in place of the one at hand; harmless if that is the one, or if the agent is
   * busy. Throws AGENT_SESSION_UNKNOWN if the CLI does not have the session any more, and what {@link start} throws.
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

  /**
   * Closes an agent as soon as it is idle and none of its servers listens, so that its next message opens it again. Returns
   * at once.
   */
  renew(agentId: string): void {
    // One after the other with a start in progress, which may be using the earlier tools.
    const renew = async () => {
      const member = this.#members.get(agentId);
      if (member && !member.isTaken) await this.#idleCloser.renew(member);
    };
    this.exclusively(agentId, renew).catch((error: unknown) =>
      this.#host.log.error("An agent could not be renewed", { agentId }, error),
    );
  }

  /** Opens an agent that is closed. To be called in {@link exclusively}. */
  async open(
    agentId: string,
    options: OpenOptions & { isTaken: boolean },
    signal: AbortSignal,
  ): Promise<LiveAgent> {
    if (this.#host.signal.aborted) throw errors.AGENT_STOPPING();
    const abort = new AbortController();
    // Before anything is awaited, so that starts at the same moment count each other.
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
    // Read now: what had the agent before may have changed its record.
    const stored = await this.#host.records.agents.get(agentId);
    if (!stored) throw errors.AGENT_NOT_FOUND({ id: agentId });
    if (stored.mode === "terminal")
      throw errors.AGENT_IN_TERMINAL({ id: agentId });
    const { earlier } = options;
    const agent = earlier
      ? { ...stored, ...earlier, fork: null, context: null }
      : stored;
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
   * Closes an agent and waits until it is; harmless if it is closed. A start in progress is given up; one that is requested later
   * begins when `then` is done.
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
    // Not only in the lane: a run that holds it is to end by this.
    await Promise.all([this.close(agentId, reason), stopped]);
  }

  /** As {@link stop}, for callers inside {@link exclusively}. */
  async close(agentId: string, reason: string): Promise<void> {
    await this.#close(agentId, reason, (session) => session.end());
  }

  /** As {@link stop}, at once and without an orderly end. */
  async kill(
    agentId: string,
    reason: string,
    isDaemonStopping = false,
  ): Promise<void> {
    const live = this.get(agentId);
    if (live && isDaemonStopping) live.isDaemonStopping = true;
    await this.#close(agentId, reason, (session) => session.kill());
  }

  /** Stops the current turn, even if the caller leaves meanwhile. A CLI that does not stop in time is ended. */
  async abort(agentId: string): Promise<boolean> {
    const live = this.get(agentId);
    if (!live?.turn) return await this.#stopWork(live);
    const { turn } = live;
    const { clock, limits, signal } = this.#host;
    const overdue = clock.after(limits.abortMs, () => {
      void this.kill(
        agentId,
        "It did not stop when it was told to, so its process was ended.",
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

  /** Stops the background work of an agent. Returns whether there was any. */
  async #stopWork(live: LiveAgent | undefined): Promise<boolean> {
    if (!live?.hasOpenWork) return false;
    await live.abort(this.#host.signal).catch(() => undefined);
    return true;
  }

  /** The daemon stops: ends all agents. Those that do not end in time are killed. */
  async stopAll(reason: string): Promise<void> {
    for (const { live } of this.#members.values()) live.isDaemonStopping = true;
    for (const abort of this.#starting.values()) abort.abort(new Error(reason));
    // Those that start, too: one may be open before its start can be given up.
    const ids = [...this.#members.keys(), ...this.#starting.keys()];
    const overdue = this.#host.clock.after(STOP_ALL_MS, () => {
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

  /** From now on messages may go out, and the idle timer runs. */
  #rest(member: FleetMember): void {
    member.restedAt = this.#host.clock.monotonic();
    member.stopIdleTimer();
    if (member.isTaken) return;
    const sent = this.#host.onRest(member.live.agentId);
    void this.#idleCloser.rest(member, sent);
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

  /** Closes an agent that no one asked to close. */
  async #retire(member: FleetMember, reason: string): Promise<void> {
    member.isRetired = true;
    await this.#end(member, reason, (session) => session.end());
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

  /** @throws AGENT_LIMIT_REACHED if no open agent is at rest. */
  async #makeRoom(): Promise<void> {
    const { openAgents } = this.#host.limits;
    // The one that room is made for is among those that start.
    if (this.#members.size + this.#starting.size <= openAgents) return;
    if (!(await this.#idleCloser.makeRoom(() => this.#members.values())))
      throw errors.AGENT_LIMIT_REACHED({ limit: openAgents });
  }
}
