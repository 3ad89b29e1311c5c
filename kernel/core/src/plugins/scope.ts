import type { Disposer, Log } from "@gantry/plugin";
import { createDeadline, within } from "@gantry/system/clock/deadline";
import { createOwnedSignal } from "@gantry/system/context/owned-signal";
import { runInContext } from "@gantry/system/context/work-context";
import type { Deadline } from "@gantry/system/clock/deadline";

/** Time in which requests in flight have to finish when their plugin stops. */
const WORK_GRACE_MS = 5_000;
/** Timeout of one disposer. */
const DISPOSE_GRACE_MS = 5_000;
/** Time limit of the stop of one plugin, unless the stop of the daemon sets a deadline. */
const MAX_STOP_MS = 30_000;

type Dispose = (deadline: Deadline) => void | Promise<void>;

/**
 * Everything that belongs to one run of a plugin. At its end cleanup runs, newest first; errors are logged.
 */
export interface Scope {
  /** Aborts when the end begins. The reason is the error for later calls. */
  readonly signal: AbortSignal;
  /** Adds cleanup. The returned function runs it at once and is idempotent. Throws once the end has begun. */
  own(dispose: Dispose): Disposer;
  /** Tracks work, so that the end waits for it. */
  follow<Result>(work: Promise<Result>): Promise<Result>;
  /** Tracks work of the kernel for the plugin, which does not count towards the timeout of the start. */
  followUpkeep(work: Promise<unknown>): void;
  /** Whether such work is in progress. */
  readonly hasUpkeep: boolean;
  /**
   * Ends the scope: aborts the signal, waits for work, runs cleanup. After the deadline cleanup is started but not awaited.
   *
   * @returns the number of disposers that failed
   */
  end(deadline?: Deadline): Promise<number>;
  /** Whether the end is complete. Code that still runs belongs to no run of the plugin any more. */
  readonly isOver: boolean;
}

/**
 * Creates the scope of one run of a plugin.
 *
 * @param stopped Creates the error for calls after the end has begun.
 */
export function createScope(
  plugin: string,
  log: Log,
  stopped: () => Error,
): Scope {
  const ending = createOwnedSignal(plugin);
  const owned: { dispose: Dispose }[] = [];
  const work = new Set<Promise<unknown>>();
  const upkeeps = new Set<Promise<unknown>>();
  let isOver = false;

  async function disposeOne(
    { dispose }: { dispose: Dispose },
    deadline: Deadline,
  ): Promise<boolean> {
    try {
      const own = deadline.atMost(DISPOSE_GRACE_MS);
      const disposed = runInContext({ plugin }, async () => dispose(own));
      await within(own, disposed);
      return true;
    } catch (error) {
      log.error("Could not be undone", {}, error);
      return false;
    }
  }

  return {
    signal: ending.signal,
    get isOver() {
      return isOver;
    },
    own(dispose) {
      if (ending.signal.aborted) throw stopped();
      const entry = { dispose };
      owned.push(entry);
      return () => {
        const index = owned.indexOf(entry);
        if (index < 0) return;
        owned.splice(index, 1);
        void disposeOne(entry, createDeadline(DISPOSE_GRACE_MS));
      };
    },
    follow(promise) {
      work.add(promise);
      const done = () => work.delete(promise);
      promise.then(done, done);
      return promise;
    },
    followUpkeep(promise) {
      upkeeps.add(promise);
      void promise.then(() => upkeeps.delete(promise));
    },
    get hasUpkeep() {
      return upkeeps.size > 0;
    },
    async end(deadline = createDeadline(MAX_STOP_MS)) {
      ending.abort(stopped());
      const settled = Promise.allSettled([...work, ...upkeeps]);
      await within(deadline.atMost(WORK_GRACE_MS), settled).catch(() => {
        log.warn("Requests were still in flight when the plugin stopped", {
          count: work.size,
        });
      });
      let failed = 0;
      for (let entry = owned.pop(); entry; entry = owned.pop())
        if (!(await disposeOne(entry, deadline))) failed++;
      isOver = true;
      return failed;
    },
  };
}
