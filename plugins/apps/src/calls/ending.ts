import type { Clock } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { RegisteredApp } from "../registry/registered-app.ts";

/** When a call of an app ends, whether it has answered or not. */
export interface Ending {
  /** Aborts with the error that the caller gets. */
  readonly signal: AbortSignal;
  /** What the app gets. Its listeners run as code of its plugin. */
  readonly given: AbortSignal;
  clear(): void;
}

/** Begins a call of an app: it ends after a time, when the app is taken away, or when `signal` aborts. */
export function createEnding(
  { id, owner, signal: leaving }: RegisteredApp,
  { clock, ms, signal }: { clock: Clock; ms: number; signal: AbortSignal },
): Ending {
  const controller = new AbortController();
  const given = new AbortController();
  const end = (error: Error) => {
    controller.abort(error);
    owner.run(() => given.abort(error));
  };
  const { plugin } = owner;
  const onGone = () => end(errors.APP_UNAVAILABLE({ id, plugin }));
  const stop = clock.after(ms, () =>
    end(errors.APP_TIMEOUT({ id, plugin, seconds: ms / 1000 })),
  );
  leaving.addEventListener("abort", onGone);
  signal.addEventListener("abort", onGone);
  if (leaving.aborted || signal.aborted) onGone();
  return {
    signal: controller.signal,
    given: given.signal,
    clear() {
      stop();
      leaving.removeEventListener("abort", onGone);
      signal.removeEventListener("abort", onGone);
    },
  };
}

/** Waits for a promise, but not beyond an abort; what it gives later is dropped. */
export function raceAbort<Result>(
  promise: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}
