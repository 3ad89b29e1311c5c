/** A mutex for each key: work on one key runs sequentially, work on different keys concurrently. */
export interface KeyedLock {
  /** Runs `work` once all earlier work on this key has settled. Resolves and rejects as `work` does. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Creates a {@link KeyedLock}. Work that fails does not affect the work that is queued after it.
 *
 * @example const added = await lock.run(listId, () => add(listId, item));
 */
export function createKeyedLock(): KeyedLock {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(key, work) {
      const before = last.get(key) ?? Promise.resolve();
      const result = before.then(work, work);
      last.set(key, result);
      try {
        return await result;
      } finally {
        if (last.get(key) === result) last.delete(key);
      }
    },
  };
}
