import type { NewEvent } from "./event.ts";
import type { Schema } from "./schema.ts";

/**
 * Begins keys of what a plugin knows of this machine and not of its records: what already ran here, what was revoked here. No
 * snapshot has them, and a restore leaves them as they are, so that it brings back neither. They are to be bounded by the plugin.
 */
export const MACHINE_PREFIX = "@machine:";

/** A change of one key, to be written together with others, or a condition that the whole batch depends on. */
export type StoreOperation =
  | { readonly type: "set"; readonly key: string; readonly value: object }
  | { readonly type: "remove"; readonly key: string }
  /** Refuses the batch with `STORE_CONFLICT` (409) if the key is there, or any that begins with it. */
  | {
      readonly type: "absent";
      readonly key: string;
      readonly isPrefix?: boolean;
    };

/** One page of a listing, and where the next begins. */
export interface Page<Item> {
  /** In the order of the listing, at most `limit`. */
  items: Item[];
  /** Passed as `cursor` to get the next page; `null` at the end. */
  nextCursor: string | null;
}

/**
 * A plugin's own keys, and nothing else of the store. Keys are parts joined by `:`; parts that users made are to be
 * encoded with {@link keyPart}. Reads see committed state only, so that no answer contains what a crash could undo.
 * A write resolves when it is on disk.
 *
 * Writes reject with `STORAGE_FULL` (507) or `STORAGE_UNAVAILABLE` (503); what was there before is then unchanged.
 */
export interface Store {
  /** Resolves with the value of a key, `undefined` if it is not there. */
  get<Value extends object>(key: string): Promise<Value | undefined>;
  /** Writes plain data under a key, over what was there. */
  set(key: string, value: object): Promise<void>;
  /** Removes a key. Resolves also if it was not there. */
  remove(key: string): Promise<void>;
  /** Keys with this prefix, in order. */
  keys(prefix: string): Promise<string[]>;
  /** Entries with this prefix in key order, page by page; `reverse` starts at the end. */
  list<Value extends object>(
    prefix: string,
    options?: { limit?: number; cursor?: string; reverse?: boolean },
  ): Promise<Page<{ key: string; value: Value }>>;
  /** All of the operations and all of the events, or none of them. Then listeners and streams get the events. */
  batch(
    operations: readonly StoreOperation[],
    events?: readonly NewEvent[],
  ): Promise<void>;
  /** Records of one kind with a schema, a version and indexes. */
  collection<Record extends StoredRecord>(
    definition: CollectionDefinition<Record>,
  ): Collection<Record>;
}

/** What every stored resource has. */
export interface StoredRecord {
  /** Such as `createIdentifier` makes; unique in its collection. */
  id: string;
  /** RFC 3339 UTC with milliseconds. */
  createdAt: string;
  /** RFC 3339 UTC with milliseconds; equal to `createdAt` until the first change. */
  updatedAt: string;
  /** 1 for a new record; grows by one with each change. */
  revision: number;
}

/** Values that order an index, most significant first. */
export type IndexKey = readonly string[];

/** Declares a kind of record. */
export interface CollectionDefinition<Record extends StoredRecord> {
  /** Kebab-case; part of the storage key. */
  name: string;
  /** Version of the schema. A record of a later version is left alone: reading it alone throws, lists pass it over. */
  version: number;
  /**
   * What a record must look like, checked at each write and each read. What is read and does not fit is left where it
   * is, with a copy in quarantine and a notice, and is read again once it fits. Members that the schema does not know are
   * kept when a record is updated.
   */
  schema: Schema<Record>;
  /** Migrates the data of an older version to this one. Nothing is written until the record is updated. */
  migrate?(data: unknown, fromVersion: number): unknown;
  /**
   * Orders to list by. A record for which a function gives `undefined` is not in that index. An index that is new or whose
   * function has another text is built when the collection is opened; meanwhile its listings and all writes of the plugin wait. If
   * the storage fails meanwhile, listings by it fail with the same error until the plugin starts again.
   */
  indexes?: {
    readonly [name: string]: (record: Record) => IndexKey | undefined;
  };
  /**
   * Indexes in which no two records have the same values. When one is built, a record whose values another one has is put into
   * quarantine.
   */
  unique?: readonly string[];
}

/** A new record, before the store gave it its revision. `createdAt` defaults to now. */
export type NewRecord<Record extends StoredRecord> = Omit<
  Record,
  "createdAt" | "updatedAt" | "revision"
> & {
  createdAt?: string;
};

/** What an update writes: the record, and what belongs into the same batch. */
export interface Change<Record> {
  /** The next state of the whole record; `revision` and `updatedAt` are set by the store. */
  record: Record;
  /** Written in the same batch, all or none. */
  operations?: readonly StoreOperation[];
  /** Stored in the same batch, and sent once it is on disk. */
  events?: readonly NewEvent[];
}

/** How to list a collection. */
export interface ListOptions<Record> {
  /** Index to follow; `newest` (by `createdAt`) is always there. */
  index?: string;
  /** Only entries whose index key begins with these values. */
  prefix?: IndexKey;
  /** Only entries that stand before this key of the index, in ascending order. */
  before?: IndexKey;
  /** 1 to 500; 50 unless said. */
  limit?: number;
  /** `nextCursor` of the page before, from a listing with the same options. */
  cursor?: string;
  /** Newest (largest) first unless said. */
  order?: "descending" | "ascending";
  /** Keeps only these. Reading continues until the page is full. */
  filter?: (record: Record) => boolean;
}

/** Records of one kind. Changes of one record run one after the other. */
export interface Collection<Record extends StoredRecord> {
  /** @throws `RECORD_TOO_NEW` (503) for a record of a later version */
  get(id: string): Promise<Record | undefined>;
  /** @throws `BAD_CURSOR` (400) for a cursor that this listing did not give. */
  list(options?: ListOptions<Record>): Promise<Page<Record>>;
  /** How many entries an index has under a prefix, counted up to `limit`. */
  count(index: string, prefix: IndexKey, limit: number): Promise<number>;
  /**
   * Writes a new record.
   *
   * @throws `RECORD_EXISTS` (409) if there is one with this id; `RECORD_NOT_UNIQUE` (409) if another one has the values of
   *   a unique index; TypeError for a record that does not fit its schema
   */
  insert(
    record: NewRecord<Record>,
    also?: {
      operations?: readonly StoreOperation[];
      events?: readonly NewEvent[];
    },
  ): Promise<Record>;
  /**
   * Reads a record, lets `change` make the next one, and writes it with `revision` and `updatedAt` moved on.
   * `change` gives `undefined` to leave it as it is. Resolves with what is stored afterwards, `undefined` if the id is
   * unknown.
   *
   * @throws `STALE_REVISION` (412) if `revision` is given and is not the current one; `RECORD_TOO_NEW`,
   *   `RECORD_NOT_UNIQUE` and TypeError as for get and insert
   */
  update(
    id: string,
    change: (
      current: Record,
    ) => Change<Record> | undefined | Promise<Change<Record> | undefined>,
    options?: { revision?: number },
  ): Promise<Record | undefined>;
  /**
   * Removes a record. Resolves with what was removed, `undefined` if the id is unknown.
   *
   * @throws `STALE_REVISION` (412) as for update.
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
   * The operations that insert a record, for a batch that writes more than one kind. If the id is taken or the record is
   * not unique, the batch is refused with `STORE_CONFLICT` (409).
   *
   * @throws TypeError for a record that does not fit its schema
   */
  toInsert(record: NewRecord<Record>): {
    record: Record;
    operations: StoreOperation[];
  };
  /**
   * The operations that write a record whether or not there is one with its id, as revision 1. Only for records whose
   * index values never change, since the entries of what was there are not removed.
   *
   * @throws TypeError for a record that does not fit its schema
   */
  toUpsert(record: NewRecord<Record>): StoreOperation[];
  /** The operations that remove a record as it was read. */
  toRemove(record: Record): StoreOperation[];
}

/** Encodes a text that users made, so that it is one part of a key whatever it contains. */
export function keyPart(text: string): string {
  // Storage layers read "/" and "\" as separators, cut at "?", and refuse a part that is only dots.
  return IS_PLAIN.test(text) ? text : text.replace(/[^\w-]/gu, encodeCharacter);
}

const IS_PLAIN = /^[\w-]*$/;

function encodeCharacter(char: string): string {
  const code = char.charCodeAt(0);
  // `encodeURIComponent` leaves some of ASCII alone, and throws at half of a surrogate pair, which UTF-8 does not know.
  return code < 0x80 || (char.length === 1 && (code & 0xf800) === 0xd800)
    ? `%${code.toString(16).toUpperCase().padStart(2, "0")}`
    : encodeURIComponent(char);
}
