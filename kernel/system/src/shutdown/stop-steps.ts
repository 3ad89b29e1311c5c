import type { Log } from "@gantry/plugin";
import { within } from "../clock/deadline.ts";

/** Timeout of one step, so that none keeps the store from being closed. */
const STEP_LIMIT_MS = 2_000;

/** The steps of a stop, which run in the reverse order of the start. */
export interface StopSteps {
  /**
   * Adds a step, which runs before all that were added so far.
   *
   * @param isUnlimited Whether the step has no timeout here, since it has its own or must finish.
   */
  add(
    work: () => Promise<unknown> | void,
    options?: { isUnlimited?: boolean },
  ): void;
  /** Runs all steps, also those that are added meanwhile. An error of one is logged. */
  run(): Promise<void>;
}

/** Creates an empty list of steps. */
export function createStopSteps(log: Log): StopSteps {
  const steps: (() => Promise<unknown>)[] = [];
  return {
    add(work, { isUnlimited = false } = {}) {
      const step = async () => work();
      steps.push(isUnlimited ? step : () => within(STEP_LIMIT_MS, step()));
    },
    async run() {
      for (let step = steps.pop(); step; step = steps.pop()) {
        await step().catch((error: unknown) =>
          log.error("Could not be stopped", {}, error),
        );
      }
    },
  };
}
