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
  /** A message will not be delivered. */
  onGivenUp(task: TaskRecord): void;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

/** The result of a message, and whether the next one can follow. */
export interface Settlement {
  status: RestingStatus;
  reason: string | null;
  goesOn: boolean;
}

/** Messages that are being handed to CLIs, until their results are stored. */
export class TaskDeliveries {
  readonly #host: TaskDeliveriesHost;
  /** By the ids of tasks. */
  readonly #pending = new Map<
    string,
    { agentId: string; done: Promise<unknown> }
  >();
  /** Messages that are not to be sent any more, by the ids of tasks. */
  readonly #refused = new Set<string>();

  constructor(host: TaskDeliveriesHost) {
    this.#host = host;
  }

  /** Hands a message over and stores the result. Returns whether the messages behind it can follow. */
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

  /** From now on a message is not sent any more: it is cancelled where it would be, or would go back into its queue. */
  refuse(taskId: string): void {
    this.#refused.add(taskId);
  }

  /** It was found that a message is not on its way. */
  forget(taskId: string): void {
    this.#refused.delete(taskId);
  }

  /** Resolves when the result of a message is stored, if it is being handed over. Never rejects. */
  async decided(taskId: string): Promise<void> {
    await this.#pending.get(taskId)?.done.catch(() => undefined);
  }

  /** Resolves when the results of all messages to an agent, or to any, are stored. Never rejects. */
  async settled(agentId?: string): Promise<void> {
    const pending = [...this.#pending.values()].filter(
      (one) => agentId === undefined || one.agentId === agentId,
    );
    await Promise.allSettled(pending.map(({ done }) => done));
  }

  /** Stores the result of a message that was claimed. */
  async settle(
    task: TaskRecord,
    { status, reason }: Omit<Settlement, "goesOn">,
  ): Promise<void> {
    const { book, clock, log, signal } = this.#host;
    const write = () => book.settle(task, status, reason);
    await untilStored(write, { clock, log, signal });
    if (status === "failed")
      this.giveUp(task, { stopReason: "error", error: reason });
    if (status === "cancelled")
      this.giveUp(task, { stopReason: "cancelled", error: null });
  }

  /** Tells those who wait for a message that it will not be delivered. */
  giveUp(
    task: TaskRecord,
    end: Pick<TurnOutcome, "stopReason" | "error">,
  ): void {
    this.#host.waiters.settleEarly(task.id, end);
    this.#host.onGivenUp(task);
  }

  /** Puts a message back into its queue that was confirmed, and that its CLI turns out not to have. */
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
      (): Settlement => ({ status: "delivered", reason: null, goesOn: true }),
      (error: unknown) => this.#settlementOf(task, error),
    );
    await this.settle(task, settlement);
    // A message within a turn never goes back into its queue.
    if (isSteer && settlement.status === "delivered")
      await this.#close(task.id);
    return settlement.goesOn;
  }

  async #deliver(
    live: LiveAgent,
    task: TaskRecord,
    turnId: string,
    isSteer: boolean,
  ): Promise<void> {
    const { context, log } = this.#host;
    const delivery = await this.#toDelivery(task, turnId, isSteer);
    // Right before its turn begins, which can be stopped.
    if (this.#refused.has(task.id)) throw new StoppedBefore();
    if (isSteer) return await live.steer(delivery);
    const { outcome, result } = await live.deliver(delivery);
    void outcome.then((end) => this.#ended(task.id, end));
    void result.then((end) => this.#answered(task.id, end));
    if (delivery.context === "") return;
    // The CLI has the message, even if this fails.
    await context
      .given(task.agentId, delivery.context)
      .catch((error: unknown) =>
        log.error("What was given to an agent is given again", {}, error),
      );
  }

  #settlementOf({ id }: TaskRecord, error: unknown): Settlement {
    const settlement = toSettlement(error);
    const isBack = settlement.status === "queued" && this.#refused.has(id);
    return isBack
      ? { ...toSettlement(new StoppedBefore()), goesOn: settlement.goesOn }
      : settlement;
  }

  /** The turn of a message is over. Never rejects. */
  async #ended(taskId: string, end: TurnOutcome): Promise<void> {
    if (end.isVoid) return;
    // A turn may end before its delivery is stored, and the write would undo what follows.
    await this.decided(taskId);
    await this.#close(taskId);
  }

  /** All work that came of a message is over. */
  #answered(taskId: string, end: TurnOutcome): void {
    if (!end.isVoid) this.#host.waiters.settle(taskId, end);
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

/** What an error of a delivery means for the message. */
export function toSettlement(error: unknown): Settlement {
  if (isOutage(error)) return { status: "queued", reason: null, goesOn: true };
  if (error instanceof NotDelivered)
    return { status: "queued", reason: null, goesOn: isOutage(error.cause) };
  const status = error instanceof StoppedBefore ? "cancelled" : "failed";
  return { status, reason: describeError(error), goesOn: true };
}
