/** Resolves with a promise's result, or rejects with the signal's reason if that aborts first. */
export async function unlessAborted<Result>(
  signal: AbortSignal,
  promise: Promise<Result>,
): Promise<Result> {
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
