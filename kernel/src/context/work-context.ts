import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import type { StoreOperation } from "@gantry/plugin";

/** What the code that runs now runs for. It follows every `await`. */
export interface WorkContext {
  /** Id of the plugin whose code runs. */
  readonly plugin: string;
  /** The request that it answers, if any. */
  readonly requestId?: string;
  /**
   * Operations with full keys that belong into the first batch of this work: the claim of an idempotency key, the
   * cursor of a durable listener. So the effect and the mark that it happened are one write.
   */
  carried?: StoreOperation[];
}

const storage = new AsyncLocalStorage<WorkContext>();

/** Hears of each piece of work that begins and is no request, with its context; it costs nothing while nobody listens. */
export const workBegan = channel("gantry.work-began");

/** Runs a function, and everything that it awaits, for a context. */
export function runInContext<Result>(
  context: WorkContext,
  work: () => Result,
): Result {
  // Of a request whoever listens hears from Node itself.
  if (context.requestId === undefined && workBegan.hasSubscribers)
    workBegan.publish(context);
  return storage.run(context, work);
}

/** The context of the code that runs now. */
export function currentContext(): WorkContext | undefined {
  return storage.getStore();
}

/** Writes together with what the current work carries, so that it is written once: with the first write that succeeds. */
export async function writeWithCarried(
  write: (carried: readonly StoreOperation[]) => Promise<void>,
): Promise<void> {
  const context = storage.getStore();
  const carried = context?.carried;
  if (!context || !carried) return write([]);
  context.carried = undefined;
  try {
    await write(carried);
  } catch (error) {
    context.carried = carried;
    throw error;
  }
}
