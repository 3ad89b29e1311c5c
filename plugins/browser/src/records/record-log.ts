import type {
  Collection,
  CollectionDefinition,
  NewEvent,
  NewRecord,
  Page,
  Store,
  StoredRecord,
} from "@gantry/plugin";
import { createSerial } from "./serial.ts";
import type { Serial } from "./serial.ts";

/** A record with a sequence number in the order in which records were added. */
export interface LogRecord extends StoredRecord {
  /**
   * Increases by one with each record. Timestamps cannot order records: several may be equal, and a clock can be set
   * back.
   */
  sequence: number;
}

/** A record to be added. */
export type LogDraft<Record extends LogRecord> = Omit<
  Record,
  "createdAt" | "updatedAt" | "revision" | "sequence"
>;

/** Query of a listing. */
export interface LogQuery<Record> {
  limit: number;
  cursor?: string;
  filter?: (record: Record) => boolean;
}

/** Records in the order in which they were added, up to a limit: a new one replaces the oldest. */
export interface RecordLog<Record extends LogRecord> {
  readonly collection: Collection<Record>;
  /** Runs tasks one after another, for tasks that read and then write. */
  readonly serial: Serial;
  /** Newest first. */
  list(query: LogQuery<Record>): Promise<Page<Record>>;
  newest(): Promise<Record | undefined>;
  /** Adds records, the oldest first. Must be called inside `serial`. */
  add(
    drafts: readonly LogDraft<Record>[],
    events?: readonly NewEvent[],
  ): Promise<Record[]>;
  /**
   * Removes one.
   *
   * @returns the record, or `undefined` if there is none
   * @throws `STALE_REVISION` (412)
   */
  remove(
    id: string,
    options: { revision?: number; events?: readonly NewEvent[] },
  ): Promise<Record | undefined>;
  /** Removes all matching records in batches, each with its events. Returns their number. */
  removeWhere(
    fits: (record: Record) => boolean,
    events: readonly NewEvent[],
  ): Promise<number>;
}

/** Dependencies of {@link openRecordLog}. */
export interface RecordLogOptions<Record extends LogRecord> {
  store: Store;
  definition: CollectionDefinition<Record>;
  max: number;
  /** Cleans up after records that are gone. */
  onRemoved?: (records: readonly Record[]) => void;
}

const BATCH = 100;
const SEQUENCE_DIGITS = 16;

/** Opens a collection as a log with a limit. */
export async function openRecordLog<Record extends LogRecord>({
  store,
  definition,
  max,
  onRemoved,
}: RecordLogOptions<Record>): Promise<RecordLog<Record>> {
  const collection = store.collection<Record>({
    ...definition,
    indexes: {
      ...definition.indexes,
      order: ({ sequence }) => [
        String(sequence).padStart(SEQUENCE_DIGITS, "0"),
      ],
    },
  });
  const serial = createSerial();
  const newest = async () =>
    (await collection.list({ index: "order", limit: 1 })).items[0];
  let last = (await newest())?.sequence ?? 0;
  let count = await collection.count("order", [], 2 * max);

  /** The oldest records that have to be removed to make room for new ones. */
  async function findOverflow(added: number): Promise<Record[]> {
    const overflow = Math.min(count + added - max, count);
    if (overflow <= 0) return [];
    const { items } = await collection.list({
      index: "order",
      order: "ascending",
      limit: Math.min(overflow, BATCH),
    });
    return items;
  }

  return {
    collection,
    serial,
    list: ({ limit, cursor, filter }) =>
      collection.list({ index: "order", limit, cursor, filter }),
    newest,
    async add(drafts, events = []) {
      const inserts = drafts.map((draft, index) =>
        collection.toInsert({
          ...draft,
          sequence: last + index + 1,
        } as unknown as NewRecord<Record>),
      );
      const overflow = await findOverflow(drafts.length);
      // One batch, so that the number of records never exceeds the limit.
      await store.batch(
        [
          ...inserts.flatMap(({ operations }) => operations),
          ...overflow.flatMap((record) => collection.toRemove(record)),
        ],
        events,
      );
      last += drafts.length;
      count += drafts.length - overflow.length;
      if (overflow.length > 0) onRemoved?.(overflow);
      return inserts.map(({ record }) => record);
    },
    remove: (id, options) =>
      serial(async () => {
        const removed = await collection.remove(id, options);
        if (!removed) return undefined;
        count -= 1;
        onRemoved?.([removed]);
        return removed;
      }),
    removeWhere: (fits, events) =>
      serial(async () => {
        let removed = 0;
        for (;;) {
          const { items } = await collection.list({
            index: "order",
            limit: BATCH,
            filter: fits,
          });
          if (items.length === 0) return removed;
          await store.batch(
            items.flatMap((record) => collection.toRemove(record)),
            events,
          );
          removed += items.length;
          count -= items.length;
          onRemoved?.(items);
        }
      }),
  };
}

/** The fields of a record that clients receive. */
export function toPublic<Record extends LogRecord>({
  sequence: _,
  ...record
}: Record): Omit<Record, "sequence"> {
  return record;
}
