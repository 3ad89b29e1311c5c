import type { Log } from "@gantry/plugin";
import type { Deadline } from "../clock/deadline.ts";
import { createStopSteps } from "./stop-steps.ts";
import type { StopSteps } from "./stop-steps.ts";

/** The stop of a daemon: its steps, and the signal that it has begun. */
export interface Stopping extends Pick<StopSteps, "add"> {
  /** Aborts when the stop begins, or the start is interrupted. */
  readonly signal: AbortSignal;
  /** When plugins must have stopped, once the stop has begun; `undefined` without a deadline. */
  deadline(): Deadline | undefined;
  /** Whether the ports stay open for the next daemon in this process. */
  readonly isHandingOver: boolean;
  stop(by?: Deadline): Promise<void>;
  /** Stops, but keeps the ports open. */
  handOver(by?: Deadline): Promise<void>;
}

/**
 * Creates the stop of a daemon.
 *
 * @param interrupted Interrupts the start when it aborts.
 */
export function createStopping(log: Log, interrupted?: AbortSignal): Stopping {
  const steps = createStopSteps(log);
  const ending = new AbortController();
  let deadline: Deadline | undefined;
  let stopping: Promise<void> | undefined;
  let isHandingOver = false;
  const stop = (by?: Deadline) => {
    deadline ??= by;
    ending.abort();
    return (stopping ??= steps.run());
  };
  return {
    add: steps.add,
    signal: AbortSignal.any([
      ending.signal,
      ...(interrupted ? [interrupted] : []),
    ]),
    deadline: () => deadline,
    get isHandingOver() {
      return isHandingOver;
    },
    stop,
    handOver(by) {
      isHandingOver = true;
      return stop(by);
    },
  };
}
