import {
  createIdentifier,
  describeError,
  isGantryError,
  type Clock,
  type Log,
} from "@gantry/plugin";
import type { PromptContext } from "../conversation/prompt-context.ts";
import {
  NotDelivered,
  StoppedBefore,
  type Delivery,
} from "../live/delivery.ts";
import type { LiveAgent } from "../live/live-agent.ts";
import type { TurnOutcome } from "../live/turn.ts";
import type { TaskRecord } from "../records/task-record.ts";
import { isOutage, untilStored } from "../until-stored.ts";
import type { RestingStatus, TaskBook } from "./task-book.ts";
import type { TaskWaiters } from "./task-waiters.ts";

/** Dependencies of {@link TaskQueue}. */
export interface QueueHost {
  book: TaskBook;
  waiters: TaskWaiters;
  clock: Clock;
  log: Log;
  context: PromptContext;
  /** Opens an agent at rest with the session that a message is for. Rejects with what keeps it from being opened. */
  goBack(agentId: string, sessionId: string): Promise<void>;
  /** The open agent that may take messages, if there is one. */
  receiver(agentId: string): LiveAgent | undefined;
  /** Everything that could be sent to an agent was sent. */
  onSent(): void;
  /** A message will not be delivered. */
  onGivenUp(task: TaskRecord): void;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** What became of a message, and whether the next one can follow. */
interface Settlement {
  status: RestingStatus;
  reason: string | null;
  goesOn: boolean;
}

/** Errors after which an agent may be opened later. */
const TEMPORARY: readonly string[] = [
  "AGENT_BUSY",
  "AGENT_CLOSED",
  "AGENT_IN_TERMINAL",
  "AGENT_LIMIT_REACHED",
  "AGENT_STOPPING",
];

/** Messages wait so long for a store that takes nothing. */
const RETRY_MS = 5_000;

/** Sends messages to agents: in order, one at a time, never twice. */
export class TaskQueue {
  readonly #host: QueueHost;
  readonly #pumping = new Map<string, Promise<void>>();
  /** Messages into running turns whose delivery is not confirmed yet; the queue goes on meanwhile. */
  readonly #steering = new Map<string, Set<Promise<unknown>>>();
  /** Agents that are being opened with another session. */
  readonly #goingBack = new Set<string>();

  constructor(host: QueueHost) {
    this.#host = host;
  }

  /** Sends what can be sent. */
  pump(agentId: string): void {
    const before = this.#pumping.get(agentId) ?? Promise.resolve();
    const next = before
      .then(() => this.#drain(agentId))
      .catch((error: unknown) => this.#drainLater(agentId, error));
    this.#pumping.set(agentId, next);
    void next.then(() => {
      if (this.#pumping.get(agentId) !== next) return;
      this.#pumping.delete(agentId);
      this.#host.onSent();
    });
  }

  /** Tells whether a message may be about to go to the agent. */
  isSending(agentId: string): boolean {
    return this.#pumping.has(agentId);
  }

  /** Resolves when it is stored what became of every message that was on its way. */
  async settled(): Promise<void> {
    const steering = [...this.#steering.values()].flatMap((all) => [...all]);
    await Promise.allSettled([...this.#pumping.values(), ...steering]);
  }

  /** Tells whether a message waits for which a closed agent is to be started. */
  async wantsStart(agentId: string): Promise<boolean> {
    // One that is about to be sent to an agent that closes comes back first.
    await this.#pumping.get(agentId);
    await Promise.allSettled([...(this.#steering.get(agentId) ?? [])]);
    const isWaiting = (task: TaskRecord) => task.startsAgent;
    const waiting = await this.#host.book.firstQueued(agentId, isWaiting);
    return waiting !== undefined;
  }

  /** @throws AGENT_TASK_NOT_FOUND, TASK_NOT_QUEUED, STALE_REVISION */
  async cancel(
    agentId: string,
    taskId: string,
    revision: number | undefined,
  ): Promise<TaskRecord> {
    const task = await this.#host.book.cancel(agentId, taskId, revision);
    this.#giveUp(task, { stopReason: "cancelled", error: null });
    return task;
  }

  async #drain(agentId: string): Promise<void> {
    const { book, receiver, signal } = this.#host;
    for (;;) {
      const live = receiver(agentId);
      if (!live || signal.aborted) return;
      const { turn } = live;
      if (live.isBusy && !turn) return;
      const next = turn
        ? await book.firstSteer(agentId)
        : await book.firstQueued(agentId);
      if (!next) return;
      if (!turn && isForOther(next, live)) return this.#goBack(next);
      const turnId = turn?.id ?? createIdentifier("trn");
      const claimed = await book.claim(next, turnId);
      if (!claimed) continue;
      if (turn) this.#steer(live, claimed, turnId);
      else if (!(await this.#hand(live, claimed, turnId, false))) return;
    }
  }

  /** A store that takes nothing leaves messages in the queue; nothing else would send them when it is back. */
  #drainLater(agentId: string, error: unknown): void {
    const { clock, log, signal } = this.#host;
    if (signal.aborted) return;
    log.error("Messages could not be sent", { agent: agentId }, error);
    if (isOutage(error)) clock.after(RETRY_MS, () => this.pump(agentId));
  }

  /** Not waited for: a CLI confirms a message within a turn when it gets to it, which may be after a long tool. */
  #steer(live: LiveAgent, task: TaskRecord, turnId: string): void {
    const { agentId } = task;
    const all = this.#steering.get(agentId) ?? new Set();
    this.#steering.set(agentId, all);
    const handing = this.#hand(live, task, turnId, true)
      .catch((error: unknown) => this.#drainLater(agentId, error))
      .finally(() => {
        all.delete(handing);
        if (all.size === 0) this.#steering.delete(agentId);
      });
    all.add(handing);
  }

  /** Hands a message over and stores what became of it. Gives false if the others have to wait. */
  async #hand(
    live: LiveAgent,
    task: TaskRecord,
    turnId: string,
    isSteer: boolean,
  ): Promise<boolean> {
    const settlement = await this.#deliver(live, task, turnId, isSteer).then(
      (): Settlement => ({ status: "delivered", reason: null, goesOn: true }),
      (error: unknown) => toSettlement(error),
    );
    await this.#settle(task, settlement);
    return settlement.goesOn;
  }

  async #settle(
    task: TaskRecord,
    { status, reason }: Settlement,
  ): Promise<void> {
    const { book, clock, log, signal } = this.#host;
    await untilStored(() => book.settle(task, status, reason), {
      ...{ clock, log, signal },
    });
    if (status === "failed")
      this.#giveUp(task, { stopReason: "error", error: reason });
    if (status === "cancelled")
      this.#giveUp(task, { stopReason: "cancelled", error: null });
  }

  /** Opens the agent with the session of a message. Not waited for: a run may hold the agent, and needs the queue. */
  #goBack(task: TaskRecord): void {
    const { agentId, sessionId } = task;
    if (sessionId === null || this.#goingBack.has(agentId)) return;
    this.#goingBack.add(agentId);
    void this.#host
      .goBack(agentId, sessionId)
      .catch((error: unknown) => this.#notOpened(task, error))
      .finally(() => this.#goingBack.delete(agentId))
      .then(
        () => this.pump(agentId),
        (error: unknown) => this.#drainLater(agentId, error),
      );
  }

  /** Fails a message that would fail at every start, and hold up the messages behind it. */
  async #notOpened(task: TaskRecord, error: unknown): Promise<void> {
    if (isGantryError(error) && TEMPORARY.includes(error.code)) return;
    if (isOutage(error)) throw error;
    const claimed = await this.#host.book.claim(task, createIdentifier("trn"));
    if (claimed) await this.#settle(claimed, toSettlement(error));
  }

  async #deliver(
    live: LiveAgent,
    task: TaskRecord,
    turnId: string,
    isSteer: boolean,
  ): Promise<void> {
    const { context, log } = this.#host;
    const delivery = await this.#toDelivery(task, turnId, isSteer);
    if (isSteer) return await live.steer(delivery);
    this.#follow(task.id, await live.deliver(delivery));
    if (delivery.context === "") return;
    // The CLI has the message, whatever becomes of this.
    await context
      .given(task.agentId, delivery.context)
      .catch((error: unknown) =>
        log.error("What was given to an agent is given again", {}, error),
      );
  }

  #follow(taskId: string, turn: { outcome: Promise<TurnOutcome> }): void {
    const { book, waiters, log } = this.#host;
    void turn.outcome
      .then(async (end) => {
        if (end.isVoid) return;
        waiters.settle(taskId, end);
        await book.close(taskId);
      })
      .catch((error: unknown) =>
        log.warn("A message is kept longer than it need be", {
          task: taskId,
          reason: describeError(error),
        }),
      );
  }

  #giveUp(
    task: TaskRecord,
    end: Pick<TurnOutcome, "stopReason" | "error">,
  ): void {
    this.#host.waiters.settleEarly(task.id, end);
    this.#host.onGivenUp(task);
  }

  async #toDelivery(
    task: TaskRecord,
    turnId: string,
    isSteer: boolean,
  ): Promise<Delivery> {
    const { book, context } = this.#host;
    const images = await book.images(task);
    const { id: taskId, agentId, runId, source, message: text } = task;
    // A slash command is one only at the beginning, and what goes into a turn goes into it as it is.
    const isPlain = !isSteer && !text.startsWith("/");
    return {
      turnId,
      taskId,
      runId,
      source,
      text,
      context: isPlain ? await context.before(agentId) : "",
      images,
    };
  }
}

/** Whether a message is for another session than the one that is open. */
function isForOther({ sessionId }: TaskRecord, live: LiveAgent): boolean {
  return sessionId !== null && !live.hasSession(sessionId);
}

/** What an error of a delivery means for the message. */
function toSettlement(error: unknown): Settlement {
  if (isOutage(error)) return { status: "queued", reason: null, goesOn: true };
  if (error instanceof NotDelivered)
    return { status: "queued", reason: null, goesOn: isOutage(error.cause) };
  const status = error instanceof StoppedBefore ? "cancelled" : "failed";
  return { status, reason: describeError(error), goesOn: true };
}
