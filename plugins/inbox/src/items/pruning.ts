import type { Clock, Collection, Store } from "@gantry/plugin";
import { ItemRemoved } from "../contract.ts";
import type { ItemRecord } from "./item-record.ts";
import { toBrief } from "./items.ts";

/** Dependencies of {@link createPruning}. */
export interface PruningHost {
  items: Collection<ItemRecord>;
  store: Store;
  clock: Clock;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** An item that is done is kept for so long, so that it can be found again. */
const DONE_KEPT_MS = 90 * DAY_MS;
/** As long as the run that it is about. */
const KEPT_MS = 365 * DAY_MS;
/** Bounds the store where items arrive faster than they are read. */
const MAX_ITEMS = 5_000;
const BATCH = 100;

/** Whether no agent waits for an answer to it. */
const isRemovable = ({ blocking, state }: ItemRecord) =>
  !blocking || state === "done";

/** Creates what removes items that are too old or too many, in batches that hold up nothing else. */
export function createPruning(host: PruningHost): () => Promise<void> {
  const { items, store, clock, signal } = host;

  async function remove(records: readonly ItemRecord[]): Promise<void> {
    await store.batch(
      records.flatMap((item) => items.toRemove(item)),
      records.map((item) => ItemRemoved.of(item.id, toBrief(item))),
    );
  }

  /** Removes the oldest items of an index that fit, as many as `most` at most. */
  async function removeOldest(
    index: string,
    prefix: readonly string[],
    fits: (item: ItemRecord) => boolean,
    most = Infinity,
  ): Promise<number> {
    let removed = 0;
    while (!signal.aborted && removed < most) {
      const page = await items.list({
        ...{ index, prefix, order: "ascending" },
        limit: Math.min(BATCH, most - removed),
        filter: fits,
      });
      if (page.items.length === 0) break;
      await remove(page.items);
      removed += page.items.length;
    }
    return removed;
  }

  return async () => {
    const isOlder = (time: string, ms: number) =>
      Date.parse(time) < clock.now() - ms;
    await removeOldest("state", ["done"], ({ updatedAt }) =>
      isOlder(updatedAt, DONE_KEPT_MS),
    );
    await removeOldest(
      "latest",
      [],
      (item) => isRemovable(item) && isOlder(item.lastAt, KEPT_MS),
    );
    const count = await items.count("latest", [], 2 * MAX_ITEMS);
    const tooMany = Math.max(0, count - MAX_ITEMS);
    const isAny = () => true;
    const removed = await removeOldest("state", ["done"], isAny, tooMany);
    await removeOldest("latest", [], isRemovable, tooMany - removed);
  };
}
