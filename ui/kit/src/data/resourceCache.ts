/** Last answers by address, so that a page that is opened again shows them at once while it reads again. */
export interface ResourceCache {
  read(key: string): unknown;
  write(key: string, data: unknown): void;
  clear(): void;
}

/** Makes a cache of the `limit` addresses that were written last. */
export function createResourceCache(limit: number): ResourceCache {
  const entries = new Map<string, unknown>();
  return {
    read: (key) => entries.get(key),
    write(key, data) {
      entries.delete(key);
      entries.set(key, data);
      const oldest = entries.keys().next();
      if (entries.size > limit && !oldest.done) entries.delete(oldest.value);
    },
    clear: () => entries.clear(),
  };
}
