import { createKeyedLock } from "@gantry/plugin";
import type {
  Collection,
  EventToken,
  ListOptions,
  Page,
  Store,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import * as z from "zod";
import type { RecordChange } from "./events.ts";
import { addRecords, BATCH_SIZE, removeWhere, toItem } from "./log-state.ts";
import type { Draft, LogState, Stored } from "./log-state.ts";
import { createMatcher } from "./texts.ts";

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
  get(id: string): Promise<Item | undefined>;
  newest(): Promise<Item | undefined>;
  /** The newest record with this value in an index of the definition. */
  find(index: string, value: string): Promise<Item | undefined>;
  /**
   * Runs tasks one after another. Whatever calls {@link newest} or {@link find} to decide what to write runs here, and
   * so do {@link add}, {@link addAll} and {@link change}.
   */
  exclusive<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Adds a record, together with operations on what is stored beside it. */
  add(
    draft: Draft<Item>,
    operations?: readonly StoreOperation[],
  ): Promise<Item>;
  /** Adds records in their order, 500 in a batch. */
  addAll(drafts: readonly Draft<Item>[]): Promise<void>;
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
  /** Migrates the data of an older version to this one. */
  migrate?(data: unknown, fromVersion: number): unknown;
  indexes?: Readonly<Record<string, (item: Item) => [string]>>;
  /** Of these indexes, those in which no two records have the same value. */
  unique?: readonly string[];
  /** Once there are more, the oldest are removed. */
  max: number;
  /** What `q` is looked for in. */
  textsOf(item: Item): readonly (string | null)[];
  /** Emitted on each change; `undefined` for records without such an event. */
  changed: EventToken<RecordChange> | undefined;
  /** Operations that remove what is stored beside a record. */
  toRemoveBeside?(id: string): Promise<StoreOperation[]>;
  /** Called after records were removed for any reason. Must not reject. */
  onRemoved?(ids: readonly string[]): Promise<void>;
}

const SEQUENCE_DIGITS = 16;

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
    onRemoved: options.onRemoved ?? (() => Promise.resolve()),
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
    async get(id) {
      const found = await collection.get(id);
      return found && toItem(found);
    },
    async newest() {
      const found = await first(collection, {});
      return found && toItem(found);
    },
    async find(index, value) {
      const found = await first(collection, { index, prefix: [value] });
      return found && toItem(found);
    },
    async add(draft, operations) {
      const [added] = await addRecords(state, max, [draft], operations);
      return added!;
    },
    async addAll(drafts) {
      for (let from = 0; from < drafts.length; from += BATCH_SIZE)
        await addRecords(state, max, drafts.slice(from, from + BATCH_SIZE));
    },
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
        if (removed) {
          state.count -= 1;
          await state.onRemoved([id]);
        }
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
  migrate,
  indexes,
  unique,
}: RecordLogOptions<Item>): Collection<Stored<Item>> {
  return store.collection<Stored<Item>>({
    name,
    version,
    ...(migrate && { migrate }),
    schema: schema.extend({
      sequence: z.int().positive(),
    }) as unknown as z.ZodType<Stored<Item>>,
    indexes: {
      ...indexes,
      order: ({ sequence }) => [
        String(sequence).padStart(SEQUENCE_DIGITS, "0"),
      ],
    },
    unique,
  });
}

async function first<Record extends StoredRecord>(
  collection: Collection<Record>,
  options: ListOptions<Record>,
): Promise<Record | undefined> {
  const page = await collection.list({ index: "order", ...options, limit: 1 });
  return page.items[0];
}
