import { createIdentifier } from "@gantry/plugin";
import type { Clock, Page, Store } from "@gantry/plugin";
import { HistoryChanged } from "./events.ts";
import { openRecordLog } from "./record-log.ts";
import type { RecordQuery } from "./record-log.ts";
import { visit } from "./schemas.ts";
import type { Visit } from "./schemas.ts";

/** Once there are more, the oldest visits are removed. */
export const MAX_VISITS = 5000;

/** The pages that were visited. */
export interface History {
  /**
   * Records a visit. A visit to the page of the newest one, by the same visitor, is merged with it; a missing title does
   * not replace one that is known.
   */
  add(input: Pick<Visit, "url" | "title" | "agentId">): Promise<Visit>;
  list(query: RecordQuery): Promise<Page<Visit>>;
  /** @throws `STALE_REVISION` (412) */
  remove(id: string, revision?: number): Promise<boolean>;
  /** Removes these visits. Returns how many of them existed. */
  removeAll(ids: readonly string[]): Promise<number>;
  /** Removes all visits, or those since a time. Returns their number. */
  clear(since?: string): Promise<number>;
}

/** Opens the history. */
export async function openHistory({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): Promise<History> {
  const log = await openRecordLog<Visit>({
    ...{ store, name: "visit", version: 1, schema: visit, max: MAX_VISITS },
    textsOf: ({ url, title }) => [url, title],
    changed: HistoryChanged,
  });
  return {
    add: ({ url, title, agentId }) =>
      log.exclusive(async () => {
        const visitedAt = clock.timestamp();
        const newest = await log.newest();
        const merged =
          newest?.url === url && newest.agentId === agentId
            ? await log.change(newest.id, (current) => ({
                ...current,
                title: title || current.title,
                visitedAt,
                visits: current.visits + 1,
              }))
            : undefined;
        return (
          merged ??
          log.add({
            ...{ id: createIdentifier("vis"), url, title, agentId, visitedAt },
            visits: 1,
          })
        );
      }),
    list: (query) => log.list(query),
    remove: log.remove,
    removeAll(ids) {
      const removed = new Set(ids);
      return log.removeWhere(({ id }) => removed.has(id));
    },
    clear(since) {
      // Compared as points in time: a client may write a time with another offset.
      const from = since === undefined ? -Infinity : Date.parse(since);
      return log.removeWhere(({ visitedAt }) => Date.parse(visitedAt) >= from);
    },
  };
}
