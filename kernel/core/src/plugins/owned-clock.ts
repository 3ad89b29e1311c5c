import type { Clock, Disposer, Log } from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { errors } from "../errors.ts";
import type { Scope } from "./scope.ts";

interface Timer {
  cancel: Disposer;
  /** Called instead of the callback when the plugin has stopped. */
  onEnd(): void;
}

/**
 * Creates the clock of a plugin. A callback runs in the plugin's context, and its error is logged. Timers end with the scope.
 * Create it before everything else that the scope owns, so that all cleanup may still use a timeout.
 */
export function ownClock(
  plugin: string,
  clock: Clock,
  log: Log,
  scope: Pick<Scope, "own">,
): Clock {
  const timers = new Set<Timer>();
  let isEnded = false;
  const stopped = () => errors.PLUGIN_STOPPED({ id: plugin });
  const runOwned = (work: () => void) =>
    runInContext({ plugin }, () => {
      try {
        work();
      } catch (error) {
        log.error("Timer failed", {}, error);
      }
    });

  scope.own(() => {
    isEnded = true;
    for (const timer of timers) {
      timer.cancel();
      timer.onEnd();
    }
    timers.clear();
  });

  function add(ms: number, callback: () => void, onEnd: () => void): Disposer {
    if (isEnded) throw stopped();
    const timer: Timer = {
      cancel: clock.after(ms, () => {
        timers.delete(timer);
        runOwned(callback);
      }),
      onEnd,
    };
    timers.add(timer);
    return () => {
      timers.delete(timer);
      timer.cancel();
    };
  }

  return {
    ...clock,
    after: (ms, callback) => add(ms, callback, () => {}),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const finish = (settle: () => void) => () => {
          signal?.removeEventListener("abort", onAbort);
          cancel();
          settle();
        };
        const onAbort = finish(() => reject(signal?.reason));
        const cancel = add(
          ms,
          finish(resolve),
          finish(() => reject(stopped())),
        );
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
  };
}
