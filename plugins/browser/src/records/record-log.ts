import { createKeyedLock } from "@gantry/plugin";
import type {
  Collection,
  EventToken,
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

/** Opens a collection as a log with a limit. */
export async function openRecordLog<Item extends StoredRecord>({
  store,
  name,
  version,
  schema,
  indexes,
  max,
  textsOf,
  changed,
  toRemoveBeside = () => Promise.resolve([]),
}: RecordLogOptions<Item>): Promise<RecordLog<Item>> {
  // Timestamps cannot order records: several may be equal, and a clock can be set back.
  type Stored = Item & { sequence: number };
  const collection: Collection<Stored> = store.collection<Stored>({
    name,
    version,
    schema: schema.extend({
      sequence: z.int().positive(),
    }) as unknown as z.ZodType<Stored>,
    indexes: {
      ...indexes,
      order: ({ sequence }) => [
        String(sequence).padStart(SEQUENCE_DIGITS, "0"),
      ],
    },
  });
  const { run } = createKeyedLock();
  const exclusive = <Result>(task: () => Promise<Result>) => run(name, task);
  const first = async (
    index: string,
    order: "ascending" | "descending",
    limit = 1,
    prefix: string[] = [],
  ) => (await collection.list({ index, order, limit, prefix })).items;
  const tell = (subject: string, change: RecordChange["change"]) =>
    changed ? [changed.of(subject, { change })] : [];

  let last = (await first("order", "descending"))[0]?.sequence ?? 0;
  let count = await collection.count("order", [], Number.MAX_SAFE_INTEGER);

  async function toRemove(records: readonly Stored[]) {
    const beside = await Promise.all(
      records.map(({ id }) => toRemoveBeside(id)),
    );
    return [
      ...records.flatMap((record) => collection.toRemove(record)),
      ...beside.flat(),
    ];
  }

  return {
    exclusive,
    async list({ q, ...page }, isIncluded) {
      const matches = createMatcher(q);
      const { items, nextCursor } = await collection.list({
        ...page,
        index: "order",
        ...((matches || isIncluded) && {
          filter: (item: Stored) =>
            (isIncluded?.(item) ?? true) && (matches?.(textsOf(item)) ?? true),
        }),
      });
      return { items: items.map(toItem), nextCursor };
    },
    async newest() {
      const [found] = await first("order", "descending");
      return found && toItem(found);
    },
    async find(index, value) {
      const [found] = await first(index, "descending", 1, [value]);
      return found && toItem(found);
    },
    async add(draft, operations = []) {
      const insert = collection.toInsert({
        ...draft,
        sequence: last + 1,
      } as unknown as NewRecord<Stored>);
      const overflow = Math.min(count + 1 - max, BATCH_SIZE);
      const oldest =
        overflow > 0 ? await first("order", "ascending", overflow) : [];
      // One batch, so that the number of records never exceeds the limit.
      await store.batch(
        [...insert.operations, ...operations, ...(await toRemove(oldest))],
        tell(draft.id, "added"),
      );
      last += 1;
      count += 1 - oldest.length;
      return toItem(insert.record);
    },
    async change(id, toNext) {
      const stored = await collection.update(id, (current) => ({
        record: { ...current, ...toNext(toItem(current)) },
        events: tell(id, "changed"),
      }));
      return stored && toItem(stored);
    },
    remove: (id, revision) =>
      exclusive(async () => {
        const removed = await collection.remove(id, {
          revision,
          operations: await toRemoveBeside(id),
          events: tell(id, "removed"),
        });
        if (removed) count -= 1;
        return removed !== undefined;
      }),
    removeWhere: (isRemoved) =>
      exclusive(async () => {
        let removed = 0;
        let cursor: string | undefined;
        do {
          const page = await collection.list({
            index: "order",
            limit: BATCH_SIZE,
            cursor,
          });
          const records = page.items.filter((record) =>
            isRemoved(toItem(record)),
          );
          if (records.length > 0)
            await store.batch(await toRemove(records), tell(ALL, "cleared"));
          removed += records.length;
          count -= records.length;
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        return removed;
      }),
  };
}

/** A record without its place in the order, which clients do not see. */
function toItem<Item extends StoredRecord>({
  sequence: _,
  ...item
}: Item & { sequence: number }): Item {
  return item as unknown as Item;
}
