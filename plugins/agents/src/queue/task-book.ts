import {
  createIdentifier,
  type Clock,
  type Collection,
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
import { toOrder, toTask, type NewTask } from "./new-task.ts";

/** Dependencies of {@link TaskBook}. */
export interface TaskBookHost {
  gate: AgentGate;
  records: Records;
  attachments: Attachments;
  streams: AgentStreams;
  clock: Clock;
}

/** A status that a task may rest at. */
export type RestingStatus = Exclude<TaskRecord["status"], "delivering">;

/** Of a message whose turn is over, only so much stays in the record; the transcript has it whole. */
const MAX_KEPT_MESSAGE = 300;
const READ_AT_ONCE = 200;

type Update = Collection<TaskRecord>["update"];

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

  /** What adds a message without pictures before all that wait, for a batch; `publish` is to be called after it. */
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

  /** The first that waits to be sent and fits; `undefined` if there is none. Reads no more than it has to. */
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

  /** The first message for the running turn that waits and fits. */
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

  /** Tells whether a message is on its way. */
  async isOnItsWay(taskId: string): Promise<boolean> {
    const task = await this.#host.records.tasks.get(taskId);
    return task?.status === "delivering";
  }

  /** Tells whether any is queued or on its way. */
  async isPending(agentId: string): Promise<boolean> {
    return (await this.#host.records.tasks.count("pending", [agentId], 1)) > 0;
  }

  /** The pictures of a task. */
  images(task: TaskRecord): Promise<PromptImage[]> {
    return this.#host.attachments.load(task.images);
  }

  /** Notes that the message is on its way now. `undefined` if it was cancelled meanwhile. */
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
   * Stores the result of a message. One that was delivered is kept whole until {@link close}, since it goes back into its queue if
   * the CLI turns out not to have it.
   */
  async settle(
    task: TaskRecord,
    status: RestingStatus,
    reason: string | null,
    via: TaskRecord["via"] = status === "delivered" ? "protocol" : null,
  ): Promise<void> {
    const { attachments, clock, records } = this.#host;
    const { settled } = records;
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
      operations: [
        status === "queued"
          ? settled.toRemove(task.id)
          : settled.toAdd(task.id, clock.timestamp()),
      ],
    }));
    if (isGivenUp) await attachments.remove(task.images);
    this.#publish(task, status);
  }

  /** The turn of a message that was delivered is over: what only its delivery needed goes. */
  async close(taskId: string): Promise<void> {
    const { records, attachments } = this.#host;
    const task = await records.tasks.get(taskId);
    if (!task) return;
    let images: TaskRecord["images"] = [];
    await this.#update(task, (current) => {
      const { message, status } = current;
      const { text, truncated } = cutText(message, MAX_KEPT_MESSAGE);
      const isWhole = !truncated && current.images.length === 0;
      if (status !== "delivered" || isWhole) return undefined;
      images = current.images;
      return { record: { ...current, message: text, images: [] } };
    });
    await attachments.remove(images);
  }

  /** Puts a message back into its queue that was confirmed, and that its CLI turns out not to have. */
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
        const at = this.#host.clock.timestamp();
        return {
          record: { ...task, status: "cancelled", reason, images: [] },
          operations: [this.#host.records.settled.toAdd(taskId, at)],
        };
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

  /** Changes a task. `undefined` if there is none any more, or if it is being deleted with its agent. */
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

  /** Larger than all before it, also when the clock is set back. */
  #nextOrder(): string {
    this.#lastOrder = Math.max(this.#host.clock.now(), this.#lastOrder + 1);
    return toOrder(this.#lastOrder);
  }
}
