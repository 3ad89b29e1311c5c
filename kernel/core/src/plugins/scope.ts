import type { Disposer, Log } from "@gantry/plugin";
import { createOwnedSignal } from "@gantry/system/context/owned-signal";
import { runInContext } from "@gantry/system/context/work-context";
import { errors } from "@gantry/system/errors";
import { createDeadline, within } from "@gantry/system/shutdown/deadline";
import type { Deadline } from "@gantry/system/shutdown/deadline";

/** Time that requests in flight get to finish when their plugin stops. */
const WORK_GRACE_MS = 5_000;
/** Time that one disposer gets. */
const DISPOSE_GRACE_MS = 5_000;
/** Time that a stop of one plugin takes at most, if the stop of the daemon does not say otherwise. */
const MAX_STOP_MS = 30_000;

type Dispose = (deadline: Deadline) => void | Promise<void>;

/** Everything that belongs to one run of a plugin. */
export type Scope = ReturnType<typeof createScope>;

/**
 * Opens a scope for a plugin. What is added to it is undone when it ends, newest first, each guarded. Its use after that is
 * `PLUGIN_STOPPED`.
 */
export function createScope(plugin: string, log: Log) {
  const stopped = () => errors.PLUGIN_STOPPED({ id: plugin });
  const ending = createOwnedSignal(plugin);
  const owned: { dispose: Dispose }[] = [];
  const inFlight = new Set<Promise<unknown>>();
  const upkeeps = new Set<Promise<unknown>>();
  let isOver = false;

  async function disposeOne(
    { dispose }: { dispose: Dispose },
    deadline: Deadline,
  ): Promise<boolean> {
    try {
      const own = deadline.atMost(DISPOSE_GRACE_MS);
      const disposed = runInContext({ plugin }, async () => dispose(own));
      await within(disposed, { deadline: own });
      return true;
    } catch (error) {
      log.error("Could not be undone", {}, error);
      return false;
    }
  }

  return {
    /** Aborts when the end begins, with the error for a use after it. */
    signal: ending.signal,
    /** Work that the end waits for. */
    inFlight,
    /** Whether the end is over: what still runs belongs to no run of the plugin any more. */
    get isOver(): boolean {
      return isOver;
    },
    /** Adds an undo. The returned function undoes at once; twice is harmless. Throws once the end has begun. */
    own(dispose: Dispose): Disposer {
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
    /** Adds to the work that the end waits for, until it is over. */
    follow<Result>(promise: Promise<Result>): Promise<Result> {
      inFlight.add(promise);
      const done = () => inFlight.delete(promise);
      promise.then(done, done);
      return promise;
    },
    /** Follows work of the kernel's on behalf of the plugin, which is not counted against the time that a start may take. */
    followUpkeep(promise: Promise<unknown>): void {
      upkeeps.add(promise);
      void promise.then(() => upkeeps.delete(promise));
    },
    /** Whether such work is in progress. */
    get hasUpkeep(): boolean {
      return upkeeps.size > 0;
    },
    /**
     * Ends it: signal, wait for work, undo. What takes longer than there is time is not waited for, but all of it is begun.
     *
     * @returns how many things could not be undone
     */
    async end(
      deadline: Deadline = createDeadline(MAX_STOP_MS),
    ): Promise<number> {
      ending.abort(stopped());
      const settled = Promise.allSettled([...inFlight, ...upkeeps]);
      await within(settled, { deadline: deadline.atMost(WORK_GRACE_MS) }).catch(
        () => {
          log.warn("Requests were still in progress when the plugin stopped", {
            count: inFlight.size,
          });
        },
      );
      let failed = 0;
      for (let entry = owned.pop(); entry; entry = owned.pop())
        if (!(await disposeOne(entry, deadline))) failed++;
      isOver = true;
      return failed;
    },
  };
}
