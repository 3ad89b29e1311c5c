import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import { WORK_BEGAN } from "@gantry/plugin";
import type { StoreOperation } from "@gantry/plugin";

/** What the code that runs now runs for. It follows every `await`. */
export interface WorkContext {
  /** Id of the plugin whose code runs. */
  readonly plugin: string;
  /** The plugin that called the service whose method runs. */
  readonly caller?: string;
  /** The request that it answers, if any. */
  readonly requestId?: string;
  /** What it carries, also where it calls into other plugins. */
  readonly unit?: WorkUnit;
}

/** A piece of work with exactly one effect, across all plugins that take part in it. */
export interface WorkUnit {
  /**
   * Operations with full keys that belong into the first batch of this work that is not preparation
   * (`PluginContext.prepare`): the claim of an idempotency key, the cursor of a durable listener. So the effect and the
   * mark that it happened are one write.
   */
  carried?: StoreOperation[];
}

/** The context of the code that runs now. A request runs in it directly, other work by {@link runInContext}. */
export const workContext = new AsyncLocalStorage<WorkContext>();

/**
 * Publishes the context of each piece of work that begins and is not a request, of which Node itself publishes the start. Costs
 * nothing without a subscriber.
 */
export const workBegan = channel(WORK_BEGAN);

/** Runs a function, and everything that it awaits, for a context. */
export function runInContext<Result>(
  context: WorkContext,
  work: () => Result,
): Result {
  if (context.requestId === undefined && workBegan.hasSubscribers)
    workBegan.publish(context);
  return workContext.run(context, work);
}

/**
 * Runs code of a plugin as a part of the work in progress: a method of its service that another plugin calls, or what
 * it handed to another plugin to be called back.
 */
export function runAsPlugin<Result>(
  plugin: string,
  work: () => Result,
): Result {
  const context = workContext.getStore();
  return workContext.run({ ...context, plugin, caller: context?.plugin }, work);
}

/** Runs a function, and everything that it awaits, as no part of the unit of work, so that its writes carry nothing. */
export function runOutsideUnit<Result>(work: () => Result): Result {
  const context = workContext.getStore();
  if (!context?.unit) return work();
  return workContext.run({ ...context, unit: undefined }, work);
}

/** Writes together with what the current work carries, so that it is written once: with the first write that succeeds. */
export async function writeWithCarried<Result>(
  write: (carried: readonly StoreOperation[]) => Promise<Result>,
): Promise<Result> {
  const unit = workContext.getStore()?.unit;
  const carried = unit?.carried;
  if (!unit || !carried) return write([]);
  unit.carried = undefined;
  try {
    return await write(carried);
  } catch (error) {
    unit.carried = carried;
    throw error;
  }
}
