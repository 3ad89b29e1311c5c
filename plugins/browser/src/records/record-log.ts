import { createKeyedLock } from "@gantry/plugin";
import type {
  Collection,
  EventToken,
  ListOptions,
  NewEvent,
  NewRecord,
  Page,
  Store,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import * as z from "zod";
import type { RecordChange } from "./events.ts";
import { createMatcher } from "./texts.ts";

/** A record to be added. */
export type Draft<Item extends StoredRecord> = Omit<
  Item,
  "createdAt" | "updatedAt" | "revision"
>;

/** Query of a listing. */
export interface RecordQuery {
  limit: number;
  cursor?: string;
  /** Words that all have to occur in the texts of a record. */
  q?: string;
}

/** Records in the order in which they were added, up to a limit: a new one replaces the oldest. */
export interface RecordLog<Item extends StoredRecord> {
  /** Newest first. @throws `BAD_CURSOR` (400) */
  list(
    query: RecordQuery,
    isIncluded?: (item: Item) => boolean,
  ): Promise<Page<Item>>;
  newest(): Promise<Item | undefined>;
  /** The newest record with this value in an index of the definition. */
  find(index: string, value: string): Promise<Item | undefined>;
  /**
   * Runs tasks one after another. Whatever calls {@link newest} or {@link find} to decide what to write runs here, and
   * so do {@link add} and {@link change}.
   */
  exclusive<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Adds a record, together with operations on what is stored beside it. */
  add(
    draft: Draft<Item>,
    operations?: readonly StoreOperation[],
  ): Promise<Item>;
  /** @returns `undefined` if there is none */
  change(
    id: string,
    toNext: (current: Item) => Item,
  ): Promise<Item | undefined>;
  /** Returns whether there was one. @throws `STALE_REVISION` (412) */
  remove(id: string, revision?: number): Promise<boolean>;
  /** Removes all records that match, in batches. Returns their number. */
  removeWhere(isRemoved: (item: Item) => boolean): Promise<number>;
}

/** Dependencies of {@link openRecordLog}. */
export interface RecordLogOptions<Item extends StoredRecord> {
  store: Store;
  /** Kebab-case; part of the storage keys. */
  name: string;
  version: number;
  schema: z.ZodObject & z.ZodType<Item>;
  indexes?: Readonly<Record<string, (item: Item) => [string]>>;
  /** Once there are more, the oldest are removed. */
  max: number;
  /** What `q` is looked for in. */
  textsOf(item: Item): readonly (string | null)[];
  /** Tells of each change; `undefined` for records whose changes are not told. */
  changed: EventToken<RecordChange> | undefined;
  /** Operations that remove what is stored beside a record. */
  toRemoveBeside?(id: string): Promise<StoreOperation[]>;
}

/** As many records as are read and removed at once. */
const BATCH_SIZE = 500;
const SEQUENCE_DIGITS = 16;
/** Subject of events about several records. */
const ALL = "all";

/** A record as it is stored. Timestamps cannot order records: several may be equal, and a clock can be set back. */
type Stored<Item extends StoredRecord> = Item & { sequence: number };

/** What adding and removing records of a log share. */
interface LogState<Item extends StoredRecord> {
  readonly store: Store;
  readonly collection: Collection<Stored<Item>>;
  readonly toRemoveBeside: (id: string) => Promise<StoreOperation[]>;
  readonly tell: (
    subject: string,
    change: RecordChange["change"],
  ) => NewEvent[];
  exclusive<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Sequence number of the newest record. */
  last: number;
  count: number;
}

/** Opens a collection as a log with a limit. */
export async function openRecordLog<Item extends StoredRecord>(
  options: RecordLogOptions<Item>,
): Promise<RecordLog<Item>> {
  const { store, name, max, changed, textsOf } = options;
  const collection = openCollection(options);
  const lock = createKeyedLock();
  const state: LogState<Item> = {
    store,
    collection,
    toRemoveBeside: options.toRemoveBeside ?? (() => Promise.resolve([])),
    tell: (subject, change) =>
      changed ? [changed.of(subject, { change })] : [],
    exclusive: (task) => lock.run(name, task),
    last: (await first(collection, {}))?.sequence ?? 0,
    count: await collection.count("order", [], Number.MAX_SAFE_INTEGER),
  };
  return {
    exclusive: state.exclusive,
    async list({ q, ...page }, isIncluded) {
      const matches = createMatcher(q);
      const { items, nextCursor } = await collection.list({
        ...page,
        index: "order",
        ...((matches || isIncluded) && {
          filter: (item: Stored<Item>) =>
            (isIncluded?.(item) ?? true) && (matches?.(textsOf(item)) ?? true),
        }),
      });
      return { items: items.map(toItem), nextCursor };
    },
    async newest() {
      const found = await first(collection, {});
      return found && toItem(found);
    },
    async find(index, value) {
      const found = await first(collection, { index, prefix: [value] });
      return found && toItem(found);
    },
    add: (draft, operations = []) => add(state, max, draft, operations),
    async change(id, toNext) {
      const stored = await collection.update(id, (current) => ({
        record: { ...current, ...toNext(toItem(current)) },
        events: state.tell(id, "changed"),
      }));
      return stored && toItem(stored);
    },
    remove: (id, revision) =>
      state.exclusive(async () => {
        const removed = await collection.remove(id, {
          revision,
          operations: await state.toRemoveBeside(id),
          events: state.tell(id, "removed"),
        });
        if (removed) state.count -= 1;
        return removed !== undefined;
      }),
    removeWhere: (isRemoved) =>
      state.exclusive(() => removeWhere(state, isRemoved)),
  };
}

function openCollection<Item extends StoredRecord>({
  store,
  name,
  version,
  schema,
  indexes,
}: RecordLogOptions<Item>): Collection<Stored<Item>> {
  return store.collection<Stored<Item>>({
    name,
    version,
    schema: schema.extend({
      sequence: z.int().positive(),
    }) as unknown as z.ZodType<Stored<Item>>,
    indexes: {
      ...indexes,
      order: ({ sequence }) => [
        String(sequence).padStart(SEQUENCE_DIGITS, "0"),
      ],
    },
  });
}

async function first<Record extends StoredRecord>(
  collection: Collection<Record>,
  options: ListOptions<Record>,
): Promise<Record | undefined> {
  const page = await collection.list({ index: "order", ...options, limit: 1 });
  return page.items[0];
}

async function add<Item extends StoredRecord>(
  state: LogState<Item>,
  max: number,
  draft: Draft<Item>,
  operations: readonly StoreOperation[],
): Promise<Item> {
  const { store, collection, tell } = state;
  const insert = collection.toInsert({
    ...draft,
    sequence: state.last + 1,
  } as unknown as NewRecord<Stored<Item>>);
  const overflow = Math.min(state.count + 1 - max, BATCH_SIZE);
  const removed = overflow > 0 ? await listOldest(collection, overflow) : [];
  // One batch, so that the number of records never exceeds the limit.
  await store.batch(
    [...insert.operations, ...operations, ...(await toRemove(state, removed))],
    tell(draft.id, "added"),
  );
  state.last += 1;
  state.count += 1 - removed.length;
  return toItem(insert.record);
}

async function listOldest<Record extends StoredRecord>(
  collection: Collection<Record>,
  limit: number,
): Promise<Record[]> {
  const order = "ascending";
  return (await collection.list({ index: "order", order, limit })).items;
}

async function removeWhere<Item extends StoredRecord>(
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
function toItem<Item extends StoredRecord>({
  sequence: _,
  ...item
}: Item & { sequence: number }): Item {
  return item as unknown as Item;
}
