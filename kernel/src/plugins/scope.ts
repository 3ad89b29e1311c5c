import type { Disposer, Log } from "@gantry/plugin";

/** Time that requests at work get to finish when their plugin stops. */
const WORK_GRACE_MS = 5_000;
/** Time that one disposer gets. */
const DISPOSE_GRACE_MS = 5_000;

/**
 * Everything that belongs to one run of a plugin. What is added is undone when it ends, newest first, each guarded.
 */
export interface Scope {
  /** Aborts when the end begins. */
  readonly signal: AbortSignal;
  /** Adds an undo. The returned function undoes at once; twice is harmless. Throws once the end has begun. */
  own(dispose: () => void | Promise<void>): Disposer;
  /** Follows work that the end waits for. */
  follow<Result>(work: Promise<Result>): Promise<Result>;
  /** Ends it: signal, wait for work, undo. Resolves with how many things could not be undone. */
  end(): Promise<number>;
  /** Whether the end is over: what still runs now is nobody's any more. */
  readonly isOver: boolean;
}

/**
 * Opens a scope.
 *
 * @param stopped Makes the error for a use after the end.
 */
export function createScope(log: Log, stopped: () => Error): Scope {
  const ending = new AbortController();
  const owned: { dispose: () => void | Promise<void> }[] = [];
  const work = new Set<Promise<unknown>>();
  let isOver = false;

  async function disposeOne(entry: {
    dispose: () => void | Promise<void>;
  }): Promise<boolean> {
    try {
      await within(DISPOSE_GRACE_MS, Promise.resolve(entry.dispose()));
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
        void disposeOne(entry);
      };
    },
    follow(promise) {
      work.add(promise);
      const done = () => work.delete(promise);
      promise.then(done, done);
      return promise;
    },
    async end() {
      ending.abort();
      await within(WORK_GRACE_MS, Promise.allSettled([...work])).catch(() => {
        log.warn("Requests were still at work when the plugin stopped", {
          count: work.size,
        });
      });
      let failed = 0;
      for (let entry = owned.pop(); entry; entry = owned.pop())
        if (!(await disposeOne(entry))) failed++;
      isOver = true;
      return failed;
    },
  };
}

/** Rejects when a promise takes longer. Real time on purpose: it guards against code that hangs. */
export function within<Result>(
  ms: number,
  promise: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`It took longer than ${ms} ms.`)),
      ms,
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
