import {
  createIdentifier,
  isGantryError,
  type Clock,
  type Log,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { PromptImage } from "../driver.ts";
import {
  AgentBusy,
  StoppedBefore,
  type Delivery,
  type LiveAgent,
} from "../live/live-agent.ts";
import { NO_USAGE } from "../live/usage.ts";
import type { TurnOutcome } from "../live/turn.ts";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import { cutText } from "../transcript/entry.ts";
import type { Attachments } from "./attachments.ts";

/** What the queue stands on. */
export interface QueueHost {
  records: Records;
  attachments: Attachments;
  streams: AgentStreams;
  clock: Clock;
  log: Log;
  /** The open agent that may take messages, if there is one. */
  receiver(agentId: string): LiveAgent | undefined;
  signal: AbortSignal;
}

/** A message to be queued. */
export interface NewTask {
  agentId: string;
  kind: TaskRecord["kind"];
  message: string;
  images?: readonly PromptImage[];
  source: string;
  runId?: string | null;
  startsAgent: boolean;
}

/** Of a message that was delivered, only so much stays in the record; the transcript has it whole. */
const KEPT_MESSAGE = 300;

/** Messages on their way to agents: durable, in order, one at a time, never twice. */
export class TaskQueue {
  readonly #host: QueueHost;
  readonly #pumping = new Map<string, Promise<void>>();
  readonly #waiting = new Map<
    string,
    {
      agentId: string;
      resolve: (outcome: TurnOutcome) => void;
      reject: (error: Error) => void;
    }
  >();
  #lastOrder = 0;

  constructor(host: QueueHost) {
    this.#host = host;
  }

  /** Writes a message into the queue. It is on disk when this resolves. */
  async add(input: NewTask): Promise<TaskRecord> {
    const { records, attachments, streams } = this.#host;
    const id = createIdentifier("tsk");
    const images = await attachments.store(id, input.images ?? []);
    const { agentId, kind, message, source, startsAgent } = input;
    const task = await records.tasks.insert({
      id,
      agentId,
      kind,
      message,
      source,
      images,
      startsAgent,
      runId: input.runId ?? null,
      status: "queued",
      reason: null,
      turnId: null,
      deliveredAt: null,
      order: this.#nextOrder(),
    });
    streams.of(agentId).publish("task", { taskId: id, status: "queued" });
    return task;
  }

  /** Resolves with the end of the turn that a task begins. Rejects if the agent is closed before. Ask before adding to the pump. */
  outcomeOf(task: TaskRecord): Promise<TurnOutcome> {
    return new Promise((resolve, reject) =>
      this.#waiting.set(task.id, { agentId: task.agentId, resolve, reject }),
    );
  }

  /** Nobody waits for this task's end any more. */
  forget(taskId: string): void {
    this.#waiting.delete(taskId);
  }

  /** The agent was closed: those who wait for messages that were not sent hear of it. */
  closed(agentId: string): void {
    for (const [taskId, waiting] of this.#waiting) {
      if (waiting.agentId !== agentId) continue;
      this.#waiting.delete(taskId);
      waiting.reject(errors.AGENT_CLOSED());
    }
  }

  /** Sends what can be sent. */
  pump(agentId: string): void {
    const before = this.#pumping.get(agentId) ?? Promise.resolve();
    const next = before.then(() => this.#drain(agentId));
    const settled = next.catch((error: unknown) => {
      this.#host.log.error(
        "Messages could not be sent",
        { agent: agentId },
        error,
      );
    });
    this.#pumping.set(agentId, settled);
    void settled.then(() => {
      if (this.#pumping.get(agentId) === settled) this.#pumping.delete(agentId);
    });
  }

  /** Tells whether a message waits for which a closed agent is to be started. */
  async wantsStart(agentId: string): Promise<boolean> {
    return (await this.#waitingTasks(agentId)).some((task) => task.startsAgent);
  }

  /** Tells whether a message waits. */
  async isWaiting(agentId: string): Promise<boolean> {
    return (await this.#host.records.tasks.count("pending", [agentId], 1)) > 0;
  }

  /** @throws AGENT_TASK_NOT_FOUND, TASK_NOT_QUEUED */
  async cancel(agentId: string, taskId: string): Promise<TaskRecord> {
    const { tasks } = this.#host.records;
    const known = await tasks.get(taskId);
    if (known?.agentId !== agentId)
      throw errors.AGENT_TASK_NOT_FOUND({ id: taskId, agent: agentId });
    const next = await tasks.update(taskId, (task) => {
      if (task.status !== "queued")
        throw errors.TASK_NOT_QUEUED({ id: taskId, status: task.status });
      return {
        record: {
          ...task,
          status: "cancelled",
          reason: "It was cancelled before it was sent.",
          images: [],
        },
      };
    });
    await this.#host.attachments.remove(known.images);
    this.#settled(taskId, { stopReason: "cancelled", error: null });
    this.#publish(agentId, taskId, "cancelled");
    return next ?? known;
  }

  /** Marks what became of a task whose delivery a crash cut short. */
  async resolve(
    task: TaskRecord,
    status: "queued" | "delivered" | "failed",
    reason: string | null,
  ): Promise<void> {
    await this.#settle(task, status, reason);
  }

  async #drain(agentId: string): Promise<void> {
    for (;;) {
      const live = this.#host.receiver(agentId);
      if (!live || this.#host.signal.aborted) return;
      const tasks = await this.#waitingTasks(agentId);
      const next = live.turn
        ? tasks.find(({ kind }) => kind === "steer")
        : tasks[0];
      if (!next || (live.isBusy && !live.turn)) return;
      const isDone = live.turn
        ? await this.#steer(live, next)
        : await this.#send(live, next);
      if (!isDone) return;
    }
  }

  async #waitingTasks(agentId: string): Promise<TaskRecord[]> {
    const { items } = await this.#host.records.tasks.list({
      index: "pending",
      prefix: [agentId],
      order: "ascending",
      limit: 500,
      filter: (task) => task.status === "queued",
    });
    return items;
  }

  async #send(live: LiveAgent, task: TaskRecord): Promise<boolean> {
    const turnId = createIdentifier("trn");
    const claimed = await this.#claim(task, turnId);
    if (!claimed) return true;
    try {
      const turn = await live.deliver(
        await this.#toDelivery(task, turnId),
        this.#host.signal,
      );
      void turn.outcome
        .then((outcome) => this.#waiting.get(task.id)?.resolve(outcome))
        .then(() => this.forget(task.id));
      await this.#settle(claimed, "delivered", null);
      return true;
    } catch (error) {
      return await this.#failed(claimed, error);
    }
  }

  async #steer(live: LiveAgent, task: TaskRecord): Promise<boolean> {
    const turnId = live.turn?.id ?? null;
    const claimed = await this.#claim(task, turnId);
    if (!claimed) return true;
    try {
      await live.steer(
        await this.#toDelivery(task, turnId ?? ""),
        this.#host.signal,
      );
      await this.#settle(claimed, "delivered", null);
      return true;
    } catch (error) {
      return await this.#failed(claimed, error);
    }
  }

  /** Says on disk that the message is on its way now. `undefined` if it was cancelled meanwhile. */
  async #claim(
    task: TaskRecord,
    turnId: string | null,
  ): Promise<TaskRecord | undefined> {
    const next = await this.#host.records.tasks.update(task.id, (current) =>
      current.status === "queued"
        ? { record: { ...current, status: "delivering", turnId } }
        : undefined,
    );
    return next?.status === "delivering" && next.turnId === turnId
      ? next
      : undefined;
  }

  async #failed(task: TaskRecord, error: unknown): Promise<boolean> {
    if (
      error instanceof AgentBusy ||
      (isGantryError(error) && error.code === "AGENT_CLOSED")
    ) {
      // Nothing was sent: the CLI began to work by itself, or was closed, in this very moment.
      await this.#settle(task, "queued", null);
      return false;
    }
    const reason = error instanceof Error ? error.message : String(error);
    const wasStopped = error instanceof StoppedBefore;
    await this.#settle(task, wasStopped ? "cancelled" : "failed", reason);
    this.#settled(
      task.id,
      wasStopped
        ? { stopReason: "cancelled", error: null }
        : { stopReason: "error", error: reason },
    );
    return true;
  }

  async #toDelivery(task: TaskRecord, turnId: string): Promise<Delivery> {
    const images = await this.#host.attachments.load(task.images);
    const { id: taskId, runId, source, message: text } = task;
    return { turnId, taskId, runId, source, text, images };
  }

  async #settle(
    task: TaskRecord,
    status: Exclude<TaskRecord["status"], "delivering">,
    reason: string | null,
  ): Promise<void> {
    const isOver = status !== "queued";
    await this.#host.records.tasks.update(task.id, (current) => ({
      record: {
        ...current,
        status,
        reason,
        message:
          status === "delivered"
            ? cutText(current.message, KEPT_MESSAGE).text
            : current.message,
        images: isOver ? [] : current.images,
        turnId: isOver ? current.turnId : null,
        deliveredAt:
          status === "delivered" ? this.#host.clock.timestamp() : null,
      },
    }));
    if (isOver) await this.#host.attachments.remove(task.images);
    this.#publish(task.agentId, task.id, status);
  }

  #settled(
    taskId: string,
    end: Pick<TurnOutcome, "stopReason" | "error">,
  ): void {
    this.#waiting
      .get(taskId)
      ?.resolve({ ...end, answer: "", usage: NO_USAGE, sessionId: null });
    this.forget(taskId);
  }

  #publish(
    agentId: string,
    taskId: string,
    status: TaskRecord["status"],
  ): void {
    this.#host.streams.of(agentId).publish("task", { taskId, status });
  }

  /** Larger than all before it, also when the clock is set back. */
  #nextOrder(): string {
    this.#lastOrder = Math.max(this.#host.clock.now(), this.#lastOrder + 1);
    return String(this.#lastOrder).padStart(16, "0");
  }
}
