import type { Clock } from "@gantry/plugin";
import { sleepOn } from "@gantry/system/clock/system-clock";
import { runInContext } from "@gantry/system/context/work-context";
import type { Seam } from "./seam.ts";

/**
 * The daemon's clock for one run of a plugin: a callback runs in the plugin's context, and its errors are logged. After
 * the run no callback is called and no sleep ends, so that a timer which sets the next one does not outlive the plugin.
 */
export function ownClock(
  { id: plugin, log, scope }: Seam,
  clock: Clock,
): Clock {
  function call(callback: () => void): void {
    if (scope.isOver) return;
    try {
      callback();
    } catch (error) {
      log.error("Timer failed", {}, error);
    }
  }
  const owned: Clock = {
    ...clock,
    after: (ms, callback) =>
      scope.isOver
        ? () => {}
        : clock.after(ms, () => runInContext({ plugin }, () => call(callback))),
    sleep: (ms, signal) => sleepOn(owned, ms, signal),
  };
  return owned;
}
