/**
 * Waits for a promise, but not beyond an abort; then it rejects with the signal's reason, and the promise's later result is
 * ignored.
 */
export function raceAbort<Result>(
  promise: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.reject(signal.reason as Error);
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    promise
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** A signal that aborts after a time of the daemon's clock. Call `clear` when it is not needed any more. */
export function timeoutSignal(
  clock: { after(ms: number, callback: () => void): () => void },
  ms: number,
  reason: Error,
): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    clear: clock.after(ms, () => controller.abort(reason)),
  };
}
