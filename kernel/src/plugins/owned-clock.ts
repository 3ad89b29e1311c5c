import type { Clock, Log } from "@gantry/plugin";
import { runInContext } from "../context/work-context.ts";
import type { Scope } from "./scope.ts";

/**
 * The daemon's clock for one run of a plugin: a callback runs in the plugin's context, and what it throws is logged. None
 * is called once the run is over, or a timer that sets the next one would go on for as long as the daemon.
 */
export function ownClock(
  plugin: string,
  clock: Clock,
  { log, scope }: { log: Log; scope: Pick<Scope, "isOver"> },
): Clock {
  function call(callback: () => void): void {
    if (scope.isOver) return;
    try {
      callback();
    } catch (error) {
      log.error("Timer failed", {}, error);
    }
  }
  return {
    ...clock,
    after: (ms, callback) =>
      scope.isOver
        ? () => {}
        : clock.after(ms, () => runInContext({ plugin }, () => call(callback))),
  };
}
