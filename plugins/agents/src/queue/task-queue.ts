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
  /** Opens an idle agent with the session that a message is for. Rejects if it cannot be opened. */
  goBack(agentId: string, sessionId: string): Promise<void>;
  /** The open agent, if it can take messages now. */
  receiver(agentId: string): LiveAgent | undefined;
  /** Called when all messages that an agent can take now were sent. */
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

/** Delivers queued messages to agents: in order, one at a time, never twice. */
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

  /** Delivers the queued messages that the agent can take now. Returns at once. */
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

  /** Whether a message may be about to be sent to the agent. */
  isSending(agentId: string): boolean {
    return this.#pumping.has(agentId);
  }

  /** Resolves when the outcomes of all deliveries in progress are stored. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#pumping.values());
    await this.#deliveries.settled();
  }

  /** Whether a queued message requires a closed agent to be started. */
  async wantsStart(agentId: string): Promise<boolean> {
    // A message in delivery to an agent that is closing is queued again first.
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
   * Cancels a message. One that is being delivered is cancelled unless its turn has begun. Returns whether it was still
   * queued.
   */
  async withdraw({
    agentId,
    id,
  }: Pick<TaskRecord, "agentId" | "id">): Promise<boolean> {
    this.#deliveries.refuse(id);
    try {
      await this.cancel(agentId, id, undefined);
    } catch (error) {
      // It is being delivered or settled, or its agent was deleted.
      if (!isGantryError(error)) throw error;
      if (!(await this.#host.book.isDelivering(id)))
        this.#deliveries.forget(id);
      return false;
    }
    this.#deliveries.forget(id);
    return true;
  }

  /** Resolves when the outcome of a message is stored; at once if it is not being delivered. Never rejects. */
  async decided(taskId: string): Promise<void> {
    await this.#deliveries.decided(taskId);
  }

  /** Puts a confirmed message back into the queue because the CLI's conversation does not hold it. */
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

  /** Tries again later after an outage of the store, since nothing else would send the messages then. */
  #drainLater(agentId: string, error: unknown): void {
    const { clock, log, signal } = this.#host;
    if (signal.aborted) return;
    log.error("Messages could not be sent", { agent: agentId }, error);
    if (isOutage(error)) clock.after(OUTAGE_RETRY_MS, () => this.pump(agentId));
  }

  /** Not awaited: a CLI may confirm a steer only after a long-running tool. */
  #steer(live: LiveAgent, task: TaskRecord, turnId: string): void {
    void this.#deliveries
      .hand(live, task, turnId, true)
      .catch((error: unknown) => this.#drainLater(task.agentId, error));
  }

  /** Opens the agent with the session of a message. Not awaited: a run may hold the agent, and the run needs the queue. */
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

  /** Fails a message whose session cannot be opened, so that it does not block the messages behind it. */
  async #notOpened(task: TaskRecord, error: unknown): Promise<void> {
    if (isGantryError(error) && TEMPORARY.includes(error.code)) return;
    if (isOutage(error)) throw error;
    const claimed = await this.#host.book.claim(task, createIdentifier("trn"));
    if (claimed) await this.#deliveries.settle(claimed, toSettlement(error));
  }
}

/** Whether a message is for another session than the current one. */
function isForOther({ sessionId }: TaskRecord, live: LiveAgent): boolean {
  return sessionId !== null && !live.hasSession(sessionId);
}
