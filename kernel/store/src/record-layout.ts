import { hash } from "node:crypto";
import { keyPart } from "@gantry/plugin";
import type {
  CollectionDefinition,
  IndexKey,
  Schema,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import { issuePath } from "@gantry/system/issue-path";
import type { SchemaIssue } from "@gantry/system/issue-path";
import { toRemoval, Unreadable } from "./engine.ts";

/** Stands for an index value that is empty, before all others: a storage would take an empty part of a key for none. */
const EMPTY_PART = "!";

type StandardResult<Output> = Awaited<
  ReturnType<Schema<Output>["~standard"]["validate"]>
>;

/** How a record lies in the store: with the version of the schema that wrote it. */
interface Envelope {
  v: number;
  data: unknown;
}

/** A stored value, read as a record. */
export type Opened<Record> =
  | {
      kind: "record";
      record: Record;
      /** Members that the schema does not know, such as those that a later version of the same schema has added. */
      unknown: object;
    }
  /** Written by a later version of the plugin, which is to find it unchanged. */
  | { kind: "too-new"; version: number; reason: string }
  /** It does not fit. */
  | { kind: "unfit"; reason: string };

export type RecordLayout<Record extends StoredRecord> = ReturnType<
  typeof createRecordLayout<Record>
>;

/**
 * How the records of a collection lie in the store: under `<owner>:<name>:<id>`, with an index entry under
 * `<owner>:<name>~<index>:<values…>:<id>` for each index that they are in.
 */
export function createRecordLayout<Record extends StoredRecord>(
  owner: string,
  definition: CollectionDefinition<Record>,
) {
  const { name, version, unique = [] } = definition;
  const prefix = `${owner}:${name}`;
  const indexes: { [name: string]: (record: Record) => IndexKey | undefined } =
    {
      newest: (record) => [record.createdAt],
      ...definition.indexes,
    };
  for (const index of unique)
    if (!Object.hasOwn(indexes, index))
      throw new TypeError(`Collection "${name}" has no index "${index}".`);
  const indexNames: readonly string[] = Object.keys(indexes);

  const keyOf = (id: string) => `${prefix}:${keyPart(id)}`;

  /** Begins the keys of all entries of an index with these values. */
  const indexPrefix = (index: string, values: IndexKey) =>
    [
      `${prefix}~${index}`,
      ...values.map((value) => keyPart(value) || EMPTY_PART),
      "",
    ].join(":");

  function valuesOf(record: Record, index: string): string | undefined {
    const values = indexes[index]?.(record);
    return values && indexPrefix(index, values);
  }

  /** Keys of the entries of a record. */
  function entries(record: Record, among = indexNames): Set<string> {
    const keys = new Set<string>();
    for (const index of among) {
      const values = valuesOf(record, index);
      if (values !== undefined) keys.add(values + keyPart(record.id));
    }
    return keys;
  }

  /** What no other record may have that a record gets: unique indexes, and what begins their entries with its values. */
  const claims = (next: Record, previous?: Record) =>
    unique.flatMap((index) => {
      const key = valuesOf(next, index);
      const isOwn = previous && valuesOf(previous, index) === key;
      return key === undefined || isOwn ? [] : { index, key };
    });

  return {
    owner,
    prefix,
    definition,
    indexNames,
    keyOf,
    /** Key of the record that an index entry is about. The id is its last part, spelt as in the key of the record. */
    keyOfEntry: (entry: string) => prefix + entry.slice(entry.lastIndexOf(":")),
    indexPrefix,
    entries,
    claims,
    /** What writes a record, in the place of another version of it. */
    toWrite(
      next: Record,
      previous?: Record,
      unknown: object = {},
    ): StoreOperation[] {
      const value: Envelope = { v: version, data: { ...unknown, ...next } };
      const operations: StoreOperation[] = [];
      for (const { key } of claims(next, previous))
        operations.push({ type: "absent", key, isPrefix: true });
      operations.push({ type: "set", key: keyOf(next.id), value });
      const after = entries(next);
      const before = previous ? entries(previous) : NO_KEYS;
      for (const key of after)
        if (!before.has(key)) operations.push({ type: "set", key, value: {} });
      for (const key of before)
        if (!after.has(key)) operations.push({ type: "remove", key });
      return operations;
    },
    toRemove: (record: Record): StoreOperation[] =>
      [keyOf(record.id), ...entries(record)].map(toRemoval),
    /** Changes when an index is defined in another way. */
    digest(index: string): string {
      const text = `${version}\0${String(indexes[index])}`;
      return hash("sha256", text, "base64url").slice(0, 22);
    },
  };
}

/** Reads a record back: lifted to the current version and checked. Waits only for a schema that does. */
export function openRecord<Record extends StoredRecord>(
  definition: CollectionDefinition<Record>,
  value: object,
): Opened<Record> | Promise<Opened<Record>> {
  if (value instanceof Unreadable) return unfit(value.reason);
  const { v, data } = value as Partial<Envelope>;
  if (typeof v !== "number" || typeof data !== "object" || data === null)
    return unfit("it is not a record of this store");
  if (v > definition.version) {
    const reason = `it was written by a later version (${v})`;
    return { kind: "too-new", version: v, reason };
  }
  const isCurrent = v === definition.version;
  let current: unknown = data;
  if (!isCurrent) {
    if (!definition.migrate) return unfit(`version ${v} is no longer known`);
    try {
      current = definition.migrate(data, v);
    } catch (error) {
      return unfit(`version ${v} could not be migrated: ${String(error)}`);
    }
  }
  const judge = (result: StandardResult<Record>): Opened<Record> => {
    if (result.issues) return unfit(describeIssue(result.issues[0]));
    const record = result.value;
    const unknown = isCurrent ? membersBeside(data, record) : {};
    return { kind: "record", record, unknown };
  };
  const result = definition.schema["~standard"].validate(current);
  return result instanceof Promise ? result.then(judge) : judge(result);
}

/**
 * Makes sure that a record will be read back. One with a schema that takes its time is taken on trust.
 *
 * @throws TypeError that names the member; it is a mistake of the plugin
 */
export function checkRecord<Record extends StoredRecord>(
  { name, schema }: CollectionDefinition<Record>,
  record: Record,
): void {
  const result = schema["~standard"].validate(record);
  if (result instanceof Promise) result.catch(() => {});
  else if (result.issues)
    throw new TypeError(
      `A record of "${name}" does not fit its schema: ${describeIssue(result.issues[0])}.`,
    );
}

const unfit = (reason: string) => ({ kind: "unfit", reason }) as const;

function describeIssue(issue: SchemaIssue | undefined): string {
  const path = issuePath(issue);
  return `${path ? `"${path}": ` : ""}${issue?.message ?? "it does not fit its schema"}`;
}

/** What an object has that another lacks. */
function membersBeside(data: object, record: object): object {
  let beside: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(data))
    if (!Object.hasOwn(record, name)) (beside ??= {})[name] = value;
  return beside ?? NOTHING;
}

const NOTHING = Object.freeze({});
const NO_KEYS: ReadonlySet<string> = new Set();
