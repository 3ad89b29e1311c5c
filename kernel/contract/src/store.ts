import type { NewEvent } from "./event.ts";
import type { Schema } from "./schema.ts";

/** A change of one key in a batch, or a condition for the whole batch. */
export type StoreOperation =
  | { readonly type: "set"; readonly key: string; readonly value: object }
  | { readonly type: "remove"; readonly key: string }
  /** Rejects the batch with `STORE_CONFLICT` (409) if the key exists; with `isPrefix`, if any key starts with it. */
  | {
      readonly type: "absent";
      readonly key: string;
      readonly isPrefix?: boolean;
    };

/** One page of a list, and the cursor of the next page; `null` on the last page. */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

/**
 * The plugin's part of the store. Keys are parts joined by `:`; encode parts that come from user input with {@link keyPart}.
 * Reads return only committed data, which survives a crash. A write resolves when it is on disk.
 *
 * Writes reject with `STORAGE_FULL` (507) or `STORAGE_UNAVAILABLE` (503) and then change nothing.
 */
export interface Store {
  get<Value extends object>(key: string): Promise<Value | undefined>;
  set(key: string, value: object): Promise<void>;
  remove(key: string): Promise<void>;
  /** All keys with this prefix, in ascending order. */
  keys(prefix: string): Promise<string[]>;
  /** One page of the entries with this prefix, in ascending key order, or descending with `reverse`. */
  list<Value extends object>(
    prefix: string,
    options?: { limit?: number; cursor?: string; reverse?: boolean },
  ): Promise<Page<{ key: string; value: Value }>>;
  /** Writes all operations and events atomically, then notifies listeners and event streams. */
  batch(
    operations: readonly StoreOperation[],
    events?: readonly NewEvent[],
  ): Promise<void>;
  /** Opens a collection of records with a schema, a version and indexes. */
  collection<Record extends StoredRecord>(
    definition: CollectionDefinition<Record>,
  ): Collection<Record>;
}

/** Fields of every stored record. */
export interface StoredRecord {
  id: string;
  /** RFC 3339 UTC with milliseconds. */
  createdAt: string;
  updatedAt: string;
  /** 1 for a new record, incremented by each change. */
  revision: number;
}

/** The sort key of an index entry, most significant value first. */
export type IndexKey = readonly string[];

/** Declares a collection. */
export interface CollectionDefinition<Record extends StoredRecord> {
  /** Kebab-case; part of the storage key. */
  name: string;
  /** Version of the schema. A record of a later version is not changed: `get` throws, lists skip it. */
  version: number;
  /**
   * Validates records at each write and each read. A stored record that does not match stays where it is, with a copy in
   * quarantine and a notice to the user, and is readable again once it matches. Members that the schema does not know are
   * kept when a record is updated.
   */
  schema: Schema<Record>;
  /** Migrates data of an older version to this one. The result is stored only when the record is updated. */
  migrate?(data: unknown, fromVersion: number): unknown;
  /**
   * Indexes by name. A record for which the function returns `undefined` is not in that index. An index that is new, or whose
   * function has a different source text, is built when the collection is opened; until then lists by it and all writes of
   * the plugin wait. If the storage fails meanwhile, lists by it fail with that error until the plugin restarts.
   */
  indexes?: {
    readonly [name: string]: (record: Record) => IndexKey | undefined;
  };
  /**
   * Names of indexes with unique keys. When such an index is built, a record with the key of another one is put into
   * quarantine.
   */
  unique?: readonly string[];
}

/** A record to be inserted. The store sets `updatedAt` and `revision`; `createdAt` defaults to now. */
export type NewRecord<Record extends StoredRecord> = Omit<
  Record,
  "createdAt" | "updatedAt" | "revision"
> & {
  createdAt?: string;
};

/** Result of an update callback: the new record, and what to write in the same batch. */
export interface Change<Record> {
  record: Record;
  operations?: readonly StoreOperation[];
  events?: readonly NewEvent[];
}

/** Options of {@link Collection.list}. */
export interface ListOptions<Record> {
  /** Index to list by; defaults to `newest`, which every collection has (by `createdAt`). */
  index?: string;
  /** Only entries whose index key starts with these values. */
  prefix?: IndexKey;
  /** Only entries with a smaller index key. */
  before?: IndexKey;
  /** 1 to 500; defaults to 50. */
  limit?: number;
  cursor?: string;
  /** Defaults to `descending`, which is newest (largest) first. */
  order?: "descending" | "ascending";
  /** Keeps only matching records. Reads on until the page is full. */
  filter?: (record: Record) => boolean;
}

/** A collection of records. Changes of one record run sequentially. */
export interface Collection<Record extends StoredRecord> {
  /**
   * Reads a record; `undefined` if the id is unknown.
   *
   * @throws `RECORD_TOO_NEW` (503) for a record of a later version
   */
  get(id: string): Promise<Record | undefined>;
  /**
   * Lists records page by page.
   *
   * @throws `BAD_CURSOR` (400) for a cursor that is not from this list
   */
  list(options?: ListOptions<Record>): Promise<Page<Record>>;
  /** Counts the entries of an index with a key prefix, up to `limit`. */
  count(index: string, prefix: IndexKey, limit: number): Promise<number>;
  /**
   * Writes a new record.
   *
   * @throws `RECORD_EXISTS` (409) if the id is taken; `RECORD_NOT_UNIQUE` (409) if another record has the same key in a
   *   unique index; TypeError for a record that does not match the schema
   */
  insert(
    record: NewRecord<Record>,
    also?: {
      operations?: readonly StoreOperation[];
      events?: readonly NewEvent[];
    },
  ): Promise<Record>;
  /**
   * Updates a record with the result of `change`, and sets `revision` and `updatedAt`. If `change` returns `undefined`, the
   * record is left unchanged. Resolves with the stored record, `undefined` if the id is unknown.
   *
   * @throws `STALE_REVISION` (412) if `revision` is given and is not the current one; `RECORD_TOO_NEW`,
   *   `RECORD_NOT_UNIQUE` and TypeError as for `get` and `insert`
   */
  update(
    id: string,
    change: (
      current: Record,
    ) => Change<Record> | undefined | Promise<Change<Record> | undefined>,
    options?: { revision?: number },
  ): Promise<Record | undefined>;
  /**
   * Removes a record. Resolves with the removed record, `undefined` if the id is unknown.
   *
   * @throws `STALE_REVISION` (412) as for `update`
   */
  remove(
    id: string,
    options?: {
      revision?: number;
      operations?: readonly StoreOperation[];
      events?: readonly NewEvent[];
    },
  ): Promise<Record | undefined>;
  /**
   * Returns the operations that insert a record, for a batch across collections. If the id is taken or the record is not
   * unique, the batch is rejected with `STORE_CONFLICT` (409).
   *
   * @throws TypeError for a record that does not match the schema
   */
  toInsert(record: NewRecord<Record>): {
    record: Record;
    operations: StoreOperation[];
  };
  /**
   * Returns the operations that insert or replace a record, as revision 1. Only for records whose index keys never change,
   * since index entries of a replaced record are not removed.
   *
   * @throws TypeError for a record that does not match the schema
   */
  toUpsert(record: NewRecord<Record>): StoreOperation[];
  /** Returns the operations that remove a record. Pass the record as it was last read, since its index entries are removed too. */
  toRemove(record: Record): StoreOperation[];
}

/** Encodes arbitrary text as one part of a store key. */
export function keyPart(text: string): string {
  // Storage drivers treat "/" and "\" as separators, cut at "?", and reject a part of only dots.
  return text.replace(/[^\w-]/gu, encodeCharacter);
}

function encodeCharacter(char: string): string {
  const code = char.charCodeAt(0);
  // `encodeURIComponent` keeps some ASCII characters, and throws for a lone surrogate, which UTF-8 cannot represent.
  return code < 0x80 || (char.length === 1 && (code & 0xf800) === 0xd800)
    ? `%${code.toString(16).toUpperCase().padStart(2, "0")}`
    : encodeURIComponent(char);
}
