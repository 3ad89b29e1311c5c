import type {
  Collection,
  NewEvent,
  NewRecord,
  Store,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import type { RecordChange } from "./events.ts";

/** As many records as are read and removed at once. */
export const BATCH_SIZE = 500;
/** Subject of events about several records. */
const ALL = "all";

/** A record to be added. */
export type Draft<Item extends StoredRecord> = Omit<
  Item,
  "createdAt" | "updatedAt" | "revision"
>;

/** A record as it is stored. Timestamps cannot order records: several may be equal, and a clock can be set back. */
export type Stored<Item extends StoredRecord> = Item & { sequence: number };

/** What adding and removing records of a log share. */
export interface LogState<Item extends StoredRecord> {
  readonly store: Store;
  readonly collection: Collection<Stored<Item>>;
  readonly toRemoveBeside: (id: string) => Promise<StoreOperation[]>;
  readonly onRemoved: (ids: readonly string[]) => Promise<void>;
  readonly tell: (
    subject: string,
    change: RecordChange["change"],
  ) => NewEvent[];
  exclusive<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Sequence number of the newest record. */
  last: number;
  count: number;
}

/**
 * Adds records in one batch, at most 500, and removes the oldest ones where there are too many. Must run in `exclusive`.
 */
export async function addRecords<Item extends StoredRecord>(
  state: LogState<Item>,
  max: number,
  drafts: readonly Draft<Item>[],
  operations: readonly StoreOperation[] = [],
): Promise<Item[]> {
  const { store, collection, tell } = state;
  const inserts = drafts.map((draft, index) =>
    collection.toInsert({
      ...draft,
      sequence: state.last + index + 1,
    } as unknown as NewRecord<Stored<Item>>),
  );
  const added = inserts.length;
  const overflow = Math.min(state.count + added - max, BATCH_SIZE);
  const removed = overflow > 0 ? await listOldest(collection, overflow) : [];
  // One batch, so that the number of records never exceeds the limit.
  await store.batch(
    [
      ...inserts.flatMap((insert) => insert.operations),
      ...operations,
      ...(await toRemove(state, removed)),
    ],
    drafts.flatMap(({ id }) => tell(id, "added")),
  );
  state.last += added;
  state.count += added - removed.length;
  await state.onRemoved(removed.map(({ id }) => id));
  return inserts.map(({ record }) => toItem(record));
}

async function listOldest<Record extends StoredRecord>(
  collection: Collection<Record>,
  limit: number,
): Promise<Record[]> {
  const order = "ascending";
  return (await collection.list({ index: "order", order, limit })).items;
}

/** Removes all records that match, in batches. Returns their number. Must run in `exclusive`. */
export async function removeWhere<Item extends StoredRecord>(
  state: LogState<Item>,
  isRemoved: (item: Item) => boolean,
): Promise<number> {
  const { store, collection, tell } = state;
  let removed = 0;
  let cursor: string | undefined;
  do {
    const page = await collection.list({
      ...{ index: "order", limit: BATCH_SIZE, cursor },
    });
    const records = page.items.filter((record) => isRemoved(toItem(record)));
    if (records.length > 0)
      await store.batch(await toRemove(state, records), tell(ALL, "cleared"));
    removed += records.length;
    state.count -= records.length;
    await state.onRemoved(records.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return removed;
}

async function toRemove<Item extends StoredRecord>(
  { collection, toRemoveBeside }: LogState<Item>,
  records: readonly Stored<Item>[],
): Promise<StoreOperation[]> {
  const beside = await Promise.all(records.map(({ id }) => toRemoveBeside(id)));
  return [
    ...records.flatMap((record) => collection.toRemove(record)),
    ...beside.flat(),
  ];
}

/** A record without its place in the order, which clients do not see. */
export function toItem<Item extends StoredRecord>({
  sequence: _,
  ...item
}: Item & { sequence: number }): Item {
  return item as unknown as Item;
}
