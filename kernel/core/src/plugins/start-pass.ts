import type { Log } from "@gantry/plugin";
import type { Scope } from "./scope.ts";

/** A pass that starts all plugins that can start. */
export interface StartPass {
  /** Runs work as a start pass, which ends when the work settles. Within a pass the work becomes part of that pass. */
  during(work: () => Promise<void>): Promise<void>;
  /** Resolves when the current pass has ended; at once without one. */
  readonly over: Promise<void>;
}

/** Creates a start pass that is not running. */
export function createStartPass(): StartPass {
  let over = Promise.resolve();
  let isRunning = false;
  return {
    async during(work) {
      if (isRunning) return work();
      isRunning = true;
      // Set before the work begins, since plugins wait for it while they start.
      const pass = Promise.resolve()
        .then(work)
        .finally(() => (isRunning = false));
      over = pass.catch(() => {});
      await pass;
    },
    get over() {
      return over;
    },
  };
}

/**
 * Runs work of a plugin once the current start pass is over. A stop waits for work that has begun; work that fails is logged.
 *
 * @returns cancels work that has not begun yet
 */
export function afterStart(
  startPass: StartPass,
  scope: Pick<Scope, "follow">,
  log: Log,
  work: () => Promise<void>,
): () => void {
  let isOff = false;
  const run = async () => {
    await startPass.over;
    if (!isOff) await scope.follow(work());
  };
  void run().catch((error: unknown) => {
    log.error("Work after the start failed", {}, error);
  });
  return () => void (isOff = true);
}
