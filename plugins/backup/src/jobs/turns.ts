/** Runs pieces of work one at a time, in the order in which they were asked for. */
export interface Turns {
  /**
   * Runs work when all before it is over.
   *
   * @throws what `work` does, and the signal's reason if that aborted before its turn
   */
  take<Result>(
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

/** @param afterFailure Holds up the next one after a failure. Rejects never. */
export function createTurns(
  afterFailure: (error: unknown) => Promise<void> = () => Promise.resolve(),
): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take(work, signal) {
      const turn = last.then(() => {
        signal?.throwIfAborted();
        return work();
      });
      last = turn.catch(afterFailure);
      return turn;
    },
  };
}
