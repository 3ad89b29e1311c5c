import {
  createIdentifier,
  type Clock,
  type StoreOperation,
} from "@gantry/plugin";
import type { PromptImage } from "../driver.ts";
import type { AgentGate } from "../agents/agent-gate.ts";
import { errors } from "../errors.ts";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import { cutText } from "../transcript/entry.ts";
import type { Attachments } from "./attachments.ts";

/** What the book of tasks stands on. */
export interface TaskBookHost {
  gate: AgentGate;
  records: Records;
  attachments: Attachments;
  streams: AgentStreams;
  clock: Clock;
}

/** A message to be queued. */
export interface NewTask {
  agentId: string;
  kind: TaskRecord["kind"];
  message: string;
  images?: readonly PromptImage[];
  source: string;
  runId?: string | null;
  sessionId?: string | null;
  startsAgent: boolean;
}

/** A status that a task may rest at. */
export type RestingStatus = Exclude<TaskRecord["status"], "delivering">;

/** Of a message that was delivered, only so much stays in the record; the transcript has it whole. */
const KEPT_MESSAGE = 300;
const READ_AT_ONCE = 200;

/** The messages on their way to agents, as they are on disk. */
export class TaskBook {
  readonly #host: TaskBookHost;
  #lastOrder = 0;

  constructor(host: TaskBookHost) {
    this.#host = host;
  }

  /**
   * Writes a message down. It is on disk when this resolves.
   *
   * @throws AGENT_NOT_FOUND once the agent is being deleted
   */
  async add(input: NewTask): Promise<TaskRecord> {
    const { gate } = this.#host;
    const task = await gate.write(input.agentId, () => this.#insert(input));
    this.#publish(task, "queued");
    return task;
  }

  async #insert(input: NewTask): Promise<TaskRecord> {
    const { records, attachments } = this.#host;
    const { images = [], runId = null, sessionId = null, ...rest } = input;
    const id = createIdentifier("tsk");
    const stored = await attachments.store(id, images);
    try {
      return await records.tasks.insert({
        id,
        ...rest,
        runId,
        sessionId,
        images: stored,
        status: "queued",
        reason: null,
        via: null,
        turnId: null,
        deliveredAt: null,
        order: this.#nextOrder(),
      });
    } catch (error) {
      await attachments.remove(stored);
      throw error;
    }
  }

  /** Those that wait to be sent, the first first. */
  async queued(agentId: string): Promise<TaskRecord[]> {
    const { items } = await this.#host.records.tasks.list({
      index: "pending",
      prefix: [agentId],
      order: "ascending",
      limit: 500,
      filter: (task) => task.status === "queued",
    });
    return items;
  }

  /** Tells whether any is queued or on its way. */
  async isPending(agentId: string): Promise<boolean> {
    return (await this.#host.records.tasks.count("pending", [agentId], 1)) > 0;
  }

  /** The pictures of a task. */
  images(task: TaskRecord): Promise<PromptImage[]> {
    return this.#host.attachments.load(task.images);
  }

  /** Says on disk that the message is on its way now. `undefined` if it was cancelled meanwhile. */
  async claim(
    task: TaskRecord,
    turnId: string,
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

  /** Writes down what became of a message. */
  async settle(
    task: TaskRecord,
    status: RestingStatus,
    reason: string | null,
    via: TaskRecord["via"] = status === "delivered" ? "protocol" : null,
  ): Promise<void> {
    const { records, attachments, clock } = this.#host;
    const isOver = status !== "queued";
    const isDelivered = status === "delivered";
    await records.tasks.update(task.id, (current) => ({
      record: {
        ...current,
        status,
        reason,
        via,
        message: isDelivered
          ? cutText(current.message, KEPT_MESSAGE).text
          : current.message,
        images: isOver ? [] : current.images,
        turnId: isOver ? current.turnId : null,
        deliveredAt: isDelivered ? clock.timestamp() : null,
      },
    }));
    if (isOver) await attachments.remove(task.images);
    this.#publish(task, status);
  }

  /** @throws AGENT_TASK_NOT_FOUND, TASK_NOT_QUEUED, STALE_REVISION */
  async cancel(
    agentId: string,
    taskId: string,
    revision: number | undefined,
  ): Promise<TaskRecord> {
    const { tasks } = this.#host.records;
    const known = await tasks.get(taskId);
    const missing = () => errors.AGENT_TASK_NOT_FOUND({ id: taskId });
    if (known?.agentId !== agentId) throw missing();
    const next = await tasks.update(
      taskId,
      (task) => {
        const { status } = task;
        if (status !== "queued")
          throw errors.TASK_NOT_QUEUED({ id: taskId, status });
        const reason = "It was cancelled before it was sent.";
        return { record: { ...task, status: "cancelled", reason, images: [] } };
      },
      { revision },
    );
    if (!next) throw missing();
    await this.#host.attachments.remove(known.images);
    this.#publish(next, "cancelled");
    return next;
  }

  /**
   * What removes all tasks of an agent, to be written with its own removal, and the files of their pictures, which go
   * after that.
   */
  async toRemoveAll(agentId: string): Promise<{
    operations: StoreOperation[];
    images: string[];
  }> {
    const { records } = this.#host;
    const found: TaskRecord[] = [];
    let cursor: string | undefined;
    do {
      const page = await records.tasks.list({
        index: "agent",
        prefix: [agentId],
        limit: READ_AT_ONCE,
        cursor,
      });
      found.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return {
      operations: found.flatMap((task) => records.tasks.toRemove(task)),
      images: found.flatMap(({ images }) => images.map(({ file }) => file)),
    };
  }

  #publish({ agentId, id }: TaskRecord, status: TaskRecord["status"]): void {
    this.#host.streams.publish(agentId, "task", { taskId: id, status });
  }

  /** Larger than all before it, also when the clock is set back. */
  #nextOrder(): string {
    this.#lastOrder = Math.max(this.#host.clock.now(), this.#lastOrder + 1);
    return String(this.#lastOrder).padStart(16, "0");
  }
}
