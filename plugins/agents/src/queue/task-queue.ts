import {
  createIdentifier,
  describeError,
  isGantryError,
  type Log,
} from "@gantry/plugin";
import { AgentBusy, StoppedBefore, type Delivery } from "../live/delivery.ts";
import type { LiveAgent } from "../live/live-agent.ts";
import type { TaskRecord } from "../records/task-record.ts";
import type { PromptContext } from "../conversation/prompt-context.ts";
import type { TaskBook } from "./task-book.ts";
import type { TaskWaiters } from "./task-waiters.ts";

/** What the queue stands on. */
export interface QueueHost {
  book: TaskBook;
  waiters: TaskWaiters;
  log: Log;
  context: PromptContext;
  /** Opens an agent at rest with the session that a message is for. Rejects with what keeps it from being opened. */
  goBack(agentId: string, sessionId: string): Promise<void>;
  /** The open agent that may take messages, if there is one. */
  receiver(agentId: string): LiveAgent | undefined;
  /** Everything that could be sent to an agent was sent. */
  onSent(): void;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
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
  readonly #host: QueueHost;
  readonly #pumping = new Map<string, Promise<void>>();
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
      .catch((error: unknown) => {
        const fields = { agent: agentId };
        this.#host.log.error("Messages could not be sent", fields, error);
      });
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

  /** Tells whether a message waits for which a closed agent is to be started. */
  async wantsStart(agentId: string): Promise<boolean> {
    // One that is about to be sent to an agent that closes comes back first.
    await this.#pumping.get(agentId);
    const tasks = await this.#host.book.queued(agentId);
    return tasks.some((task) => task.startsAgent);
  }

  /** @throws AGENT_TASK_NOT_FOUND, TASK_NOT_QUEUED, STALE_REVISION */
  async cancel(
    agentId: string,
    taskId: string,
    revision: number | undefined,
  ): Promise<TaskRecord> {
    const task = await this.#host.book.cancel(agentId, taskId, revision);
    const end = { stopReason: "cancelled", error: null } as const;
    this.#host.waiters.settleEarly(taskId, end);
    return task;
  }

  async #drain(agentId: string): Promise<void> {
    for (;;) {
      const live = this.#host.receiver(agentId);
      if (!live || this.#host.signal.aborted) return;
      const tasks = await this.#host.book.queued(agentId);
      const { turn } = live;
      const next = turn ? tasks.find(({ kind }) => kind === "steer") : tasks[0];
      if (!next || (live.isBusy && !turn)) return;
      if (!turn && isForOther(next, live)) return this.#goBack(next);
      if (!(await this.#hand(live, next, turn?.id))) return;
    }
  }

  /**
   * Hands a message over: into the running turn if there is one, else as the prompt of a new one.
   *
   * @returns false if it has to wait.
   */
  async #hand(
    live: LiveAgent,
    task: TaskRecord,
    running: string | undefined,
  ): Promise<boolean> {
    const { book, signal } = this.#host;
    const turnId = running ?? createIdentifier("trn");
    const claimed = await book.claim(task, turnId);
    if (!claimed) return true;
    try {
      const delivery = await this.#toDelivery(task, turnId, running);
      if (running !== undefined) await live.steer(delivery, signal);
      else this.#follow(task.id, await live.deliver(delivery, signal));
      if (delivery.context !== "")
        await this.#host.context.given(task.agentId, delivery.context);
      await book.settle(claimed, "delivered", null);
      return true;
    } catch (error) {
      return await this.#failed(claimed, error);
    }
  }

  /** Opens the agent with the session of a message. Not waited for: a run may hold the agent, and needs the queue. */
  #goBack(task: TaskRecord): void {
    const { agentId, sessionId } = task;
    if (sessionId === null || this.#goingBack.has(agentId)) return;
    this.#goingBack.add(agentId);
    void this.#host
      .goBack(agentId, sessionId)
      .catch((error: unknown) => this.#notOpened(task, error))
      .catch((error: unknown) => {
        const fields = { agent: agentId };
        this.#host.log.error("A message could not be given up", fields, error);
      })
      .finally(() => {
        this.#goingBack.delete(agentId);
        this.pump(agentId);
      });
  }

  /** Fails a message that would fail at every start, and hold up the messages behind it. */
  async #notOpened(task: TaskRecord, error: unknown): Promise<void> {
    if (isGantryError(error) && TEMPORARY.includes(error.code)) return;
    const claimed = await this.#host.book.claim(task, createIdentifier("trn"));
    if (claimed) await this.#failed(claimed, error);
  }

  #follow(
    taskId: string,
    { outcome }: Awaited<ReturnType<LiveAgent["deliver"]>>,
  ): void {
    void outcome.then((end) => this.#host.waiters.settle(taskId, end));
  }

  async #failed(task: TaskRecord, error: unknown): Promise<boolean> {
    const { book, waiters } = this.#host;
    const isClosed = isGantryError(error) && error.code === "AGENT_CLOSED";
    if (error instanceof AgentBusy || isClosed) {
      // Nothing was sent: the CLI began to work by itself, or was closed, in this very moment.
      await book.settle(task, "queued", null);
      return false;
    }
    const reason = describeError(error);
    if (error instanceof StoppedBefore) {
      await book.settle(task, "cancelled", reason);
      waiters.settleEarly(task.id, { stopReason: "cancelled", error: null });
    } else {
      await book.settle(task, "failed", reason);
      waiters.settleEarly(task.id, { stopReason: "error", error: reason });
    }
    return true;
  }

  async #toDelivery(
    task: TaskRecord,
    turnId: string,
    running: string | undefined,
  ): Promise<Delivery> {
    const { book, context } = this.#host;
    const images = await book.images(task);
    const { id: taskId, agentId, runId, source, message: text } = task;
    // A slash command is one only at the beginning, and what goes into a turn goes into it as it is.
    const isPlain = running === undefined && !text.startsWith("/");
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

function isForOther({ sessionId }: TaskRecord, live: LiveAgent): boolean {
  return sessionId !== null && !live.hasSession(sessionId);
}
