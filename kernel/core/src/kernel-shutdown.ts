import { createChildren } from "@gantry/system/processes/children";
import type { Children } from "@gantry/system/processes/children";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import { createStopSteps } from "@gantry/system/shutdown/stop-steps";
import type { StopSteps } from "@gantry/system/shutdown/stop-steps";
import type { Foundation } from "./foundation.ts";

/** How a daemon stops. */
export interface KernelShutdown {
  /** What is to be undone, the newest first. */
  readonly steps: StopSteps;
  /** Processes that plugins started. */
  readonly children: Children;
  /** Aborts when the stop begins. */
  readonly signal: AbortSignal;
  /** Whether another kernel of this process takes the ports over, which then stay open. */
  isHandedOver: boolean;
  /** By when plugins must have stopped; `undefined` for no limit. */
  deadline(): Deadline | undefined;
  /** Stops once; the deadline of the first call counts. */
  stop(by?: Deadline): Promise<void>;
}

/** Prepares the stop of a daemon whose home and store are open. @param until Also ends its start. */
export function createKernelShutdown(
  foundation: Foundation,
  until: AbortSignal | undefined,
): KernelShutdown {
  const { audit, logOf } = foundation;
  const children = createChildren();
  const steps = createStopSteps(logOf("kernel"));
  steps.add(() => foundation.close(), { isUnlimited: true });
  steps.add(() => void audit.record("daemon.stopped"));
  // Whatever the plugins left, no child outlives the store.
  steps.add(() => children.killAll());
  const ending = new AbortController();
  let deadline: Deadline | undefined;
  let stopping: Promise<void> | undefined;
  return {
    steps,
    children,
    signal: AbortSignal.any([ending.signal, ...(until ? [until] : [])]),
    isHandedOver: false,
    deadline: () => deadline,
    stop(by) {
      deadline ??= by;
      ending.abort();
      return (stopping ??= steps.run());
    },
  };
}
