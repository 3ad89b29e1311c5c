import { describeError, type Clock, type Log } from "@gantry/plugin";
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

/** Dependencies of {@link TaskDeliveries}. */
export interface TaskDeliveriesHost {
  book: TaskBook;
  waiters: TaskWaiters;
  clock: Clock;
  log: Log;
  context: PromptContext;
  /** Called when a message will not be delivered. */
  onGivenUp(task: TaskRecord): void;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** The outcome of a delivery to store. */
export interface Settlement {
  status: RestingStatus;
  reason: string | null;
  /** Whether the next message can be delivered. */
  canContinue: boolean;
}

/** Delivers messages to CLIs and stores the outcome of each delivery. */
export class TaskDeliveries {
  readonly #host: TaskDeliveriesHost;
  /** Deliveries in progress, by task id. */
  readonly #pending = new Map<
    string,
    { agentId: string; done: Promise<unknown> }
  >();
  /** Ids of tasks that must not be sent any more. */
  readonly #refused = new Set<string>();

  constructor(host: TaskDeliveriesHost) {
    this.#host = host;
  }

  /** Delivers a message and stores the outcome. Returns whether the next message can be delivered. */
  async hand(
    live: LiveAgent,
    task: TaskRecord,
    turnId: string,
    isSteer: boolean,
  ): Promise<boolean> {
    const done = this.#hand(live, task, turnId, isSteer);
    const { id, agentId } = task;
    this.#pending.set(id, { agentId, done });
    try {
      return await done;
    } finally {
      this.#pending.delete(id);
      this.#refused.delete(id);
    }
  }

  /** Keeps a message from being sent: it is cancelled instead of being sent or queued again. */
  refuse(taskId: string): void {
    this.#refused.add(taskId);
  }

  /** Reverts {@link refuse} for a message that is not being delivered. */
  forget(taskId: string): void {
    this.#refused.delete(taskId);
  }

  /** Resolves when the outcome of a message is stored; at once if it is not being delivered. Never rejects. */
  async decided(taskId: string): Promise<void> {
    await this.#pending.get(taskId)?.done.catch(() => undefined);
  }

  /** Resolves when the outcomes of all deliveries in progress are stored, to one agent or to all. Never rejects. */
  async settled(agentId?: string): Promise<void> {
    const pending = [...this.#pending.values()].filter(
      (one) => agentId === undefined || one.agentId === agentId,
    );
    await Promise.allSettled(pending.map(({ done }) => done));
  }

  /** Stores the outcome of a message that was claimed. */
  async settle(
    task: TaskRecord,
    { status, reason }: Omit<Settlement, "canContinue">,
  ): Promise<void> {
    const { book, clock, log, signal } = this.#host;
    const write = () => book.settle(task, status, reason);
    await untilStored(write, { clock, log, signal });
    if (status === "failed")
      this.giveUp(task, { stopReason: "error", error: reason });
    if (status === "cancelled")
      this.giveUp(task, { stopReason: "cancelled", error: null });
  }

  /** Notifies the waiters of a message that it will not be delivered. */
  giveUp(
    task: TaskRecord,
    end: Pick<TurnOutcome, "stopReason" | "error">,
  ): void {
    this.#host.waiters.settleEarly(task.id, end);
    this.#host.onGivenUp(task);
  }

  /** Puts a confirmed message back into the queue because the CLI's conversation does not hold it. */
  async requeue(taskId: string): Promise<void> {
    const { book, clock, log, signal } = this.#host;
    await this.decided(taskId);
    await untilStored(() => book.requeue(taskId), { clock, log, signal });
  }

  async #hand(
    live: LiveAgent,
    task: TaskRecord,
    turnId: string,
    isSteer: boolean,
  ): Promise<boolean> {
    const settlement = await this.#deliver(live, task, turnId, isSteer).then(
      (): Settlement => ({
        status: "delivered",
        reason: null,
        canContinue: true,
      }),
      (error: unknown) => this.#settlementOf(task, error),
    );
    await this.settle(task, settlement);
    // A steer is never queued again.
    if (isSteer && settlement.status === "delivered")
      await this.#close(task.id);
    return settlement.canContinue;
  }

  async #deliver(
    live: LiveAgent,
    task: TaskRecord,
    turnId: string,
    isSteer: boolean,
  ): Promise<void> {
    const { context, log } = this.#host;
    const delivery = await this.#toDelivery(task, turnId, isSteer);
    // As late as possible; once the turn has begun, it can be stopped instead.
    if (this.#refused.has(task.id)) throw new StoppedBefore();
    if (isSteer) return await live.steer(delivery);
    const { outcome } = await live.deliver(delivery);
    void outcome.then((end) => this.#ended(task.id, end));
    if (delivery.context === "") return;
    // A failure here does not fail the delivery, since the CLI has the message.
    await context
      .given(task.agentId, delivery.context)
      .catch((error: unknown) =>
        log.error("A prompt context will be sent again", {}, error),
      );
  }

  #settlementOf({ id }: TaskRecord, error: unknown): Settlement {
    const settlement = toSettlement(error);
    const isBack = settlement.status === "queued" && this.#refused.has(id);
    return isBack
      ? {
          ...toSettlement(new StoppedBefore()),
          canContinue: settlement.canContinue,
        }
      : settlement;
  }

  /** Settles the waiters of a message whose turn has ended, and closes its task. Never rejects. */
  async #ended(taskId: string, end: TurnOutcome): Promise<void> {
    if (end.isVoid) return;
    this.#host.waiters.settle(taskId, end);
    // The turn may end before its delivery is stored, and that write would overwrite the following one.
    await this.decided(taskId);
    await this.#close(taskId);
  }

  async #close(taskId: string): Promise<void> {
    const { book, log } = this.#host;
    await book.close(taskId).catch((error: unknown) => {
      const fields = { task: taskId, reason: describeError(error) };
      log.warn("A message is kept longer than necessary", fields);
    });
  }

  async #toDelivery(
    task: TaskRecord,
    turnId: string,
    isSteer: boolean,
  ): Promise<Delivery> {
    const { book, context } = this.#host;
    const images = await book.images(task);
    const { id: taskId, agentId, runId, source, message: text } = task;
    // Context before a slash command would hide it from the CLI, and a steer is sent unchanged.
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

/** Converts the error of a delivery to the outcome of the message. */
export function toSettlement(error: unknown): Settlement {
  const queued = { status: "queued", reason: null } as const;
  if (isOutage(error)) return { ...queued, canContinue: true };
  if (error instanceof NotDelivered)
    return { ...queued, canContinue: isOutage(error.cause) };
  const status = error instanceof StoppedBefore ? "cancelled" : "failed";
  return { status, reason: describeError(error), canContinue: true };
}
