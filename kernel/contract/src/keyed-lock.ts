/** Runs work on the same key one after the other, and on different keys side by side. */
export interface KeyedLock {
  /** Waits until earlier work on the key has ended, then runs `work`. Settles as `work` does. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Makes a lock that is free. A waiting caller gets its turn even if the work before it failed.
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
