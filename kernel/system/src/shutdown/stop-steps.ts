import type { Log } from "@gantry/plugin";
import { within } from "./deadline.ts";

/** Time that one step gets, so that none keeps the store from being closed. */
const STEP_LIMIT_MS = 2_000;

/** What has to be done when the daemon stops, in the reverse order of its start. */
export interface StopSteps {
  /**
   * Adds a step, to be done before all that were added so far.
   *
   * @param isUnlimited Whether it has a limit of its own, or must be waited for.
   */
  add(
    work: () => Promise<unknown> | void,
    options?: { isUnlimited?: boolean },
  ): void;
  /** Does all steps, each guarded. What is added meanwhile is done as well. */
  run(): Promise<void>;
}

/** Makes an empty list of steps. */
export function createStopSteps(log: Log): StopSteps {
  const steps: (() => Promise<unknown>)[] = [];
  return {
    add(work, { isUnlimited = false } = {}) {
      const step = async () => work();
      steps.push(
        isUnlimited ? step : () => within(step(), { ms: STEP_LIMIT_MS }),
      );
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
