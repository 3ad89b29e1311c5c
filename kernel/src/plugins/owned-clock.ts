import type { Clock, Log } from "@gantry/plugin";
import { runInContext } from "../context/work-context.ts";

/** The daemon's clock for a plugin: a callback runs in the plugin's context, and what it throws is logged. */
export function ownClock(plugin: string, clock: Clock, log: Log): Clock {
  return {
    ...clock,
    after: (ms, callback) =>
      clock.after(ms, () =>
        runInContext({ plugin }, () => {
          try {
            callback();
          } catch (error) {
            log.error("Timer failed", {}, error);
          }
        }),
      ),
  };
}
