/** Wraps a function that runs once, at the first call; after a failure the next call tries again. */
export function createLazy<Result>(
  work: () => Promise<Result>,
): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () =>
    (result ??= work().catch((error: unknown) => {
      result = undefined;
      throw error;
    }));
}
