import { createChildren } from "@gantry/system/processes/children";
import { within } from "@gantry/system/shutdown/deadline";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import type { Foundation } from "./foundation.ts";
import type { KernelOptions } from "./kernel-options.ts";

/** What a daemon is started from. */
export interface KernelParts {
  options: KernelOptions;
  foundation: Foundation;
  shutdown: KernelShutdown;
}

/** Time that one step gets, so that none keeps the store from being closed. */
const STEP_LIMIT_MS = 2_000;

/** How a daemon stops: in the reverse order of its start. */
export type KernelShutdown = ReturnType<typeof createKernelShutdown>;

/** Prepares the stop of a daemon whose home and store are open. @param until Also ends its start. */
export function createKernelShutdown(
  foundation: Foundation,
  until: AbortSignal | undefined,
) {
  const { audit, logOf } = foundation;
  const children = createChildren();
  const steps: (() => Promise<unknown>)[] = [];
  const ending = new AbortController();
  let deadline: Deadline | undefined;
  let stopping: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (let step = steps.pop(); step; step = steps.pop()) {
      await step().catch((error: unknown) =>
        logOf("kernel").error("Could not be stopped", {}, error),
      );
    }
  }

  const shutdown = {
    /** Processes that plugins started. */
    children,
    /** Aborts when the stop begins. */
    signal: AbortSignal.any([ending.signal, ...(until ? [until] : [])]),
    /** Whether another kernel of this process takes the ports over, which then stay open. */
    isHandedOver: false,
    /** By when plugins must have stopped; `undefined` for no limit. */
    deadline: () => deadline,
    /**
     * Adds a step, to be done before all that were added so far.
     *
     * @param options.isUnlimited Whether it has a limit of its own, or must be waited for.
     */
    add(
      work: () => Promise<unknown> | void,
      { isUnlimited = false }: { isUnlimited?: boolean } = {},
    ): void {
      const step = async () => work();
      steps.push(
        isUnlimited ? step : () => within(step(), { ms: STEP_LIMIT_MS }),
      );
    },
    /** Does all steps once, each guarded; the deadline of the first call counts. What is added meanwhile is done as well. */
    stop(by?: Deadline): Promise<void> {
      deadline ??= by;
      ending.abort();
      return (stopping ??= run());
    },
  };
  shutdown.add(() => foundation.close(), { isUnlimited: true });
  shutdown.add(() => void audit.record("daemon.stopped"));
  // Whatever the plugins left, no child outlives the store.
  shutdown.add(() => children.killAll());
  return shutdown;
}
