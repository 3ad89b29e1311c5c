import { MACHINE_PREFIX } from "@gantry/plugin";
import type { Store, StoreOperation } from "@gantry/plugin";

/** The newest of them are kept. */
const MAX_SETTLED = 10_000;
const PAGE = 500;
const PREFIX = `${MACHINE_PREFIX}settled-task:`;

/** Messages that were sent or given up on this machine, so that a restore in which they wait sends none again. */
export interface SettledTasks {
  /** Operation for the batch that says so of the task. */
  toAdd(taskId: string, at: string): StoreOperation;
  /** Operation for the batch that puts a task back into its queue. */
  toRemove(taskId: string): StoreOperation;
  /** Ids of all of them. Forgets those that are too many, the oldest first. */
  read(): Promise<ReadonlySet<string>>;
}

export function openSettledTasks(store: Store): SettledTasks {
  return {
    toAdd: (taskId, at) => ({
      type: "set",
      key: PREFIX + taskId,
      value: { at },
    }),
    toRemove: (taskId) => ({ type: "remove", key: PREFIX + taskId }),
    async read() {
      const found: { key: string; at: string }[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.list<{ at: string }>(PREFIX, {
          limit: PAGE,
          cursor,
        });
        for (const { key, value } of page.items)
          found.push({ key, at: value.at });
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      found.sort((one, other) => (one.at < other.at ? 1 : -1));
      for (const { key } of found.splice(MAX_SETTLED)) await store.remove(key);
      return new Set(found.map(({ key }) => key.slice(PREFIX.length)));
    },
  };
}
