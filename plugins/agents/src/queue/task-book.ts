import {
  createIdentifier,
  type Clock,
  type Collection,
  type StoreOperation,
} from "@gantry/plugin";
import type { PromptImage } from "@gantry/agent-kit";
import type { AgentGate } from "../agents/agent-gate.ts";
import { errors } from "../errors.ts";
import type { Records } from "../records/records.ts";
import type { TaskRecord } from "../records/task-record.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import { cutText } from "../transcript/entry.ts";
import type { Attachments } from "./attachments.ts";
import { toOrder, toTask, type NewTask } from "./new-task.ts";

/** Dependencies of {@link TaskBook}. */
export interface TaskBookHost {
  gate: AgentGate;
  records: Records;
  attachments: Attachments;
  streams: AgentStreams;
  clock: Clock;
}

/** A status in which a task can stay; a task in delivery is settled after a crash. */
export type RestingStatus = Exclude<TaskRecord["status"], "delivering">;

/** Length of a message that stays in its record after its turn has ended; the transcript holds all of it. */
const MAX_KEPT_MESSAGE_CHARS = 300;
const PAGE_SIZE = 200;

type Update = Collection<TaskRecord>["update"];

/** Stores the messages to agents and their delivery status. */
export class TaskBook {
  readonly #host: TaskBookHost;
  #lastOrder = 0;

  constructor(host: TaskBookHost) {
    this.#host = host;
  }

  /**
   * Queues a message. It is on disk when this resolves.
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
    const { images = [], ...rest } = input;
    const id = createIdentifier("tsk");
    const stored = await attachments.store(id, images);
    try {
      return await records.tasks.insert({
        ...toTask(rest, id, this.#nextOrder()),
        images: stored,
      });
    } catch (error) {
      await attachments.remove(stored);
      throw error;
    }
  }

  /** Store operations that queue a message without pictures ahead of all others. Call `publish` after the batch. */
  async toAddFirst(input: Omit<NewTask, "images">): Promise<{
    task: TaskRecord;
    operations: readonly StoreOperation[];
    publish: () => void;
  }> {
    const { tasks } = this.#host.records;
    const first = await this.firstQueued(input.agentId);
    const order = first ? toOrder(Number(first.order) - 1) : this.#nextOrder();
    const id = createIdentifier("tsk");
    const { record, operations } = tasks.toInsert(toTask(input, id, order));
    const publish = () => this.#publish(record, "queued");
    return { task: record, operations, publish };
  }

  /** The first queued message that fits; `undefined` if there is none. Reads no further than that message. */
  async firstQueued(
    agentId: string,
    fits: (task: TaskRecord) => boolean = () => true,
  ): Promise<TaskRecord | undefined> {
    const { items } = await this.#host.records.tasks.list({
      index: "pending",
      prefix: [agentId],
      order: "ascending",
      limit: 1,
      filter: (task) => task.status === "queued" && fits(task),
    });
    return items[0];
  }

  /** The first queued message of kind `steer` that fits. */
  async firstSteer(
    agentId: string,
    fits: (task: TaskRecord) => boolean,
  ): Promise<TaskRecord | undefined> {
    const { items } = await this.#host.records.tasks.list({
      index: "steer",
      prefix: [agentId],
      order: "ascending",
      limit: 1,
      filter: fits,
    });
    return items[0];
  }

  /** Whether a message is being delivered. */
  async isDelivering(taskId: string): Promise<boolean> {
    const task = await this.#host.records.tasks.get(taskId);
    return task?.status === "delivering";
  }

  /** Whether any message to the agent is queued or being delivered. */
  async isPending(agentId: string): Promise<boolean> {
    return (await this.#host.records.tasks.count("pending", [agentId], 1)) > 0;
  }

  /** The pictures of a task. */
  images(task: TaskRecord): Promise<PromptImage[]> {
    return this.#host.attachments.load(task.images);
  }

  /** Marks a queued message as being delivered. `undefined` if it was cancelled meanwhile. */
  async claim(
    task: TaskRecord,
    turnId: string,
  ): Promise<TaskRecord | undefined> {
    const next = await this.#update(task, (current) =>
      current.status === "queued"
        ? { record: { ...current, status: "delivering", turnId } }
        : undefined,
    );
    return next?.status === "delivering" && next.turnId === turnId
      ? next
      : undefined;
  }

  /**
   * Stores the outcome of a delivery. A delivered message is kept in full until {@link close}, because it is queued again
   * if the CLI's conversation does not hold it.
   */
  async settle(
    task: TaskRecord,
    status: RestingStatus,
    reason: string | null,
    via: TaskRecord["via"] = status === "delivered" ? "protocol" : null,
  ): Promise<void> {
    const { attachments, clock } = this.#host;
    const isDelivered = status === "delivered";
    const isGivenUp = status === "failed" || status === "cancelled";
    await this.#update(task, (current) => ({
      record: {
        ...current,
        status,
        reason,
        via,
        images: isGivenUp ? [] : current.images,
        turnId: status === "queued" ? null : current.turnId,
        deliveredAt: isDelivered ? clock.timestamp() : null,
      },
    }));
    if (isGivenUp) await attachments.remove(task.images);
    this.#publish(task, status);
  }

  /** Shortens the record of a delivered message whose turn has ended, and removes its pictures. */
  async close(taskId: string): Promise<void> {
    const { records, attachments } = this.#host;
    const task = await records.tasks.get(taskId);
    if (!task) return;
    let images: TaskRecord["images"] = [];
    await this.#update(task, (current) => {
      const { message, status } = current;
      const { text, truncated } = cutText(message, MAX_KEPT_MESSAGE_CHARS);
      const isWhole = !truncated && current.images.length === 0;
      if (status !== "delivered" || isWhole) return undefined;
      images = current.images;
      return { record: { ...current, message: text, images: [] } };
    });
    await attachments.remove(images);
  }

  /** Puts a confirmed message back into the queue because the CLI's conversation does not hold it. */
  async requeue(taskId: string): Promise<void> {
    const task = await this.#host.records.tasks.get(taskId);
    if (task?.status === "delivered") await this.settle(task, "queued", null);
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
    const next = await this.#update(
      known,
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
   * Store operations that remove all tasks of an agent, for the batch of its deletion, and the names of their picture
   * files, to remove after it.
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
        limit: PAGE_SIZE,
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

  /** Changes a task. `undefined` if it no longer exists, or if its agent is being deleted. */
  async #update(
    { id, agentId }: Pick<TaskRecord, "id" | "agentId">,
    change: Parameters<Update>[1],
    options?: Parameters<Update>[2],
  ): Promise<TaskRecord | undefined> {
    const { gate, records } = this.#host;
    if (gate.isClosed(agentId)) return undefined;
    return await gate.write(agentId, () =>
      records.tasks.update(id, change, options),
    );
  }

  #publish({ agentId, id }: TaskRecord, status: TaskRecord["status"]): void {
    this.#host.streams.publish(agentId, "task", { taskId: id, status });
  }

  /** A sort key after all earlier ones, even if the clock was set back. */
  #nextOrder(): string {
    this.#lastOrder = Math.max(this.#host.clock.now(), this.#lastOrder + 1);
    return toOrder(this.#lastOrder);
  }
}
