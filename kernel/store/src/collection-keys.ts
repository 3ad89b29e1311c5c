import { hash } from "node:crypto";
import { keyPart } from "@gantry/plugin";
import type {
  CollectionDefinition,
  IndexKey,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import { sealEnvelope } from "./envelope.ts";

/** Stands for an index value that is empty, before all others: a storage would take an empty part of a key for none. */
const EMPTY_PART = "!";

/**
 * Where a collection's records and their index entries are, relative to the plugin: `<name>:<id>` and
 * `<name>~<index>:<values…>:<id>`.
 */
export interface CollectionKeys<Record extends StoredRecord> {
  readonly indexNames: readonly string[];
  record(id: string): string;
  /** Of the record that an index entry is about. */
  recordOf(indexKey: string): string;
  /** Begins all entries of an index with these values. */
  index(index: string, values: IndexKey): string;
  /** Of all index entries of a record. */
  entries(record: Record, indexes?: readonly string[]): Set<string>;
  /** What writes a record, in the place of another version of it. */
  toWrite(next: Record, previous?: Record, unknown?: object): StoreOperation[];
  toRemove(record: Record): StoreOperation[];
  /** Changes when an index is defined in another way. */
  digest(index: string): string;
}

/** Lays out the keys of a collection. */
export function createCollectionKeys<Record extends StoredRecord>(
  definition: CollectionDefinition<Record>,
): CollectionKeys<Record> {
  const { name, version, unique = [] } = definition;
  const indexes: { [name: string]: (record: Record) => IndexKey | undefined } =
    {
      newest: (record) => [record.createdAt],
      ...definition.indexes,
    };
  for (const index of unique)
    if (!Object.hasOwn(indexes, index))
      throw new TypeError(`Collection "${name}" has no index "${index}".`);
  const indexNames = Object.keys(indexes);

  const record = (id: string) => `${name}:${keyPart(id)}`;
  const index = (of: string, values: IndexKey) =>
    [
      `${name}~${of}`,
      ...values.map((value) => keyPart(value) || EMPTY_PART),
      "",
    ].join(":");

  function entries(of: Record, among = indexNames): Set<string> {
    const keys = new Set<string>();
    for (const each of among) {
      const values = indexes[each]?.(of);
      if (values) keys.add(index(each, values) + keyPart(of.id));
    }
    return keys;
  }

  /** No other record may have the values that this one gets. */
  function toClaim(next: Record, previous?: Record): StoreOperation[] {
    return unique.flatMap((each): StoreOperation[] => {
      const values = indexes[each]?.(next);
      if (!values) return [];
      const key = index(each, values);
      const own = previous && indexes[each]?.(previous);
      if (own && index(each, own) === key) return [];
      return [{ type: "absent", key, isPrefix: true }];
    });
  }

  return {
    indexNames,
    record,
    index,
    entries,
    // The id is the last part of an entry's key, spelt as in the key of its record.
    recordOf: (indexKey) => name + indexKey.slice(indexKey.lastIndexOf(":")),
    toWrite(next, previous, unknown = {}) {
      const after = entries(next);
      const before = previous ? entries(previous) : new Set<string>();
      return [
        ...toClaim(next, previous),
        {
          type: "set",
          key: record(next.id),
          value: sealEnvelope(version, { ...unknown, ...next }),
        },
        ...[...after]
          .filter((key) => !before.has(key))
          .map((key): StoreOperation => ({ type: "set", key, value: {} })),
        ...[...before]
          .filter((key) => !after.has(key))
          .map((key): StoreOperation => ({ type: "remove", key })),
      ];
    },
    toRemove: (of) =>
      [record(of.id), ...entries(of)].map((key): StoreOperation => ({
        type: "remove",
        key,
      })),
    digest: (of) =>
      hash("sha256", `${version}\0${String(indexes[of])}`, "base64url").slice(
        0,
        22,
      ),
  };
}
