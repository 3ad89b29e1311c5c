import { createIdentifier, isGantryError } from "@gantry/plugin";
import type { LiveAgent } from "../live/live-agent.ts";
import type { TaskRecord } from "../records/task-record.ts";
import { isOutage, OUTAGE_RETRY_MS } from "../until-stored.ts";
import {
  TaskDeliveries,
  toSettlement,
  type TaskDeliveriesHost,
} from "./task-deliveries.ts";

/** Dependencies of {@link TaskQueue}. */
export interface TaskQueueHost extends TaskDeliveriesHost {
  /** Opens an agent at rest with the session that a message is for. Rejects with what keeps it from being opened. */
  goBack(agentId: string, sessionId: string): Promise<void>;
  /** The open agent that may take messages, if there is one. */
  receiver(agentId: string): LiveAgent | undefined;
  /** Everything that could be sent to an agent was sent. */
  onSent(): void;
}

/** Errors after which an agent may be opened later. */
const TEMPORARY: readonly string[] = [
  "AGENT_BUSY",
  "AGENT_CLOSED",
  "AGENT_IN_TERMINAL",
  "AGENT_LIMIT_REACHED",
  "AGENT_STOPPING",
];

/** Sends messages to agents: in order, one at a time, never twice. */
export class TaskQueue {
  readonly #host: TaskQueueHost;
  readonly #deliveries: TaskDeliveries;
  readonly #pumping = new Map<string, Promise<void>>();
  /** Agents that are being opened with another session. */
  readonly #goingBack = new Set<string>();

  constructor(host: TaskQueueHost) {
    this.#host = host;
    this.#deliveries = new TaskDeliveries(host);
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

  /** Resolves when no message may be about to go to the agent. */
  async sent(agentId: string): Promise<void> {
    while (this.#pumping.has(agentId)) await this.#pumping.get(agentId);
  }

  /** Resolves when the results of all messages in flight are stored. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#pumping.values());
    await this.#deliveries.settled();
  }

  /** Tells whether a message waits for which a closed agent is to be started. */
  async wantsStart(agentId: string): Promise<boolean> {
    // One that is about to be sent to an agent that closes comes back first.
    await this.#pumping.get(agentId);
    await this.#deliveries.settled(agentId);
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
    this.#deliveries.giveUp(task, { stopReason: "cancelled", error: null });
    return task;
  }

  /**
   * Takes a message back that is not to be sent any more. One that is on its way is cancelled unless its turn has begun.
   * Gives whether it was in the queue.
   */
  async withdraw({
    agentId,
    id,
  }: Pick<TaskRecord, "agentId" | "id">): Promise<boolean> {
    this.#deliveries.refuse(id);
    try {
      await this.cancel(agentId, id, undefined);
    } catch (error) {
      // It is on its way or over, or its agent was deleted with all its messages.
      if (!isGantryError(error)) throw error;
      if (!(await this.#host.book.isOnItsWay(id))) this.#deliveries.forget(id);
      return false;
    }
    this.#deliveries.forget(id);
    return true;
  }

  /** Resolves when the result of a message is stored, if it is in flight. Never rejects. */
  async decided(taskId: string): Promise<void> {
    await this.#deliveries.decided(taskId);
  }

  /** Puts a message back into its queue that was confirmed, and that its CLI turns out not to have. */
  async requeue(taskId: string): Promise<void> {
    await this.#deliveries.requeue(taskId);
  }

  async #drain(agentId: string): Promise<void> {
    const { book, receiver, signal } = this.#host;
    for (;;) {
      const live = receiver(agentId);
      if (!live || signal.aborted) return;
      const { turn } = live;
      if (live.isBusy && !turn) return;
      const next = turn
        ? await book.firstSteer(agentId, (task) => !isForOther(task, live))
        : await book.firstQueued(agentId);
      if (!next) return;
      if (!turn && isForOther(next, live)) return this.#goBack(next);
      const turnId = turn?.id ?? createIdentifier("trn");
      const claimed = await book.claim(next, turnId);
      if (!claimed) continue;
      if (turn) this.#steer(live, claimed, turnId);
      else if (!(await this.#deliveries.hand(live, claimed, turnId, false)))
        return;
    }
  }

  /** A store that takes nothing leaves messages in the queue; nothing else would send them when it is back. */
  #drainLater(agentId: string, error: unknown): void {
    const { clock, log, signal } = this.#host;
    if (signal.aborted) return;
    log.error("Messages could not be sent", { agent: agentId }, error);
    if (isOutage(error)) clock.after(OUTAGE_RETRY_MS, () => this.pump(agentId));
  }

  /** Not waited for: a CLI confirms a message within a turn when it gets to it, which may be after a long tool. */
  #steer(live: LiveAgent, task: TaskRecord, turnId: string): void {
    void this.#deliveries
      .hand(live, task, turnId, true)
      .catch((error: unknown) => this.#drainLater(task.agentId, error));
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
    if (claimed) await this.#deliveries.settle(claimed, toSettlement(error));
  }
}

/** Whether a message is for another session than the one that is open. */
function isForOther({ sessionId }: TaskRecord, live: LiveAgent): boolean {
  return sessionId !== null && !live.hasSession(sessionId);
}
