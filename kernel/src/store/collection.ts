import { keyPart } from "@gantry/plugin";
import type {
  Change,
  Clock,
  Collection,
  CollectionDefinition,
  IndexKey,
  KeyedLock,
  ListOptions,
  Log,
  NewRecord,
  Page,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import { continueRange, encodeCursor } from "./cursor.ts";
import { quarantine } from "./quarantine.ts";
import { keyRange, rangeBehind } from "./range-driver.ts";
import { openEnvelope, sealEnvelope } from "./envelope.ts";
import type { StoreCore } from "./store-core.ts";

/** What collections stand on. */
export interface CollectionHost {
  core: StoreCore;
  clock: Clock;
  log: Log;
}

/** Order of an index value that is empty: before all others. A storage would take an empty part of a key for none. */
const EMPTY_PART = "!";

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 500;
/** Index entries read at once while a filter looks for matches. */
const FILTER_CHUNK = 200;

/**
 * Records of one kind of one plugin. Keys: `<owner>:<name>:<id>`, and `<owner>:<name>~<index>:<values…>:<id>`.
 *
 * @param lock Keeps changes of one record apart, whichever of several equal collections makes them.
 */
export function createCollection<Record extends StoredRecord>(
  owner: string,
  definition: CollectionDefinition<Record>,
  host: CollectionHost,
  lock: KeyedLock,
): Collection<Record> {
  const { core, clock } = host;
  const indexes: { [name: string]: (record: Record) => IndexKey | undefined } =
    {
      newest: (record) => [record.createdAt],
      ...definition.indexes,
    };
  // Operations that leave this collection carry keys relative to the plugin; the scoped store adds the owner.
  const recordKey = (id: string) => `${definition.name}:${keyPart(id)}`;
  const indexPrefix = (index: string, values: IndexKey) =>
    [
      `${definition.name}~${index}`,
      ...values.map((value) => keyPart(value) || EMPTY_PART),
      "",
    ].join(":");
  const full = (key: string) => `${owner}:${key}`;

  function indexKeys(record: Record): Set<string> {
    const keys = new Set<string>();
    for (const [name, valuesOf] of Object.entries(indexes)) {
      const values = valuesOf(record);
      if (values) keys.add(indexPrefix(name, values) + keyPart(record.id));
    }
    return keys;
  }

  function toWrite(next: Record, previous?: Record): StoreOperation[] {
    const after = indexKeys(next);
    const before = previous ? indexKeys(previous) : new Set<string>();
    return [
      {
        type: "set",
        key: recordKey(next.id),
        value: sealEnvelope(definition.version, next),
      },
      ...[...after]
        .filter((key) => !before.has(key))
        .map((key): StoreOperation => ({ type: "set", key, value: {} })),
      ...[...before]
        .filter((key) => !after.has(key))
        .map((key): StoreOperation => ({ type: "remove", key })),
    ];
  }

  function toRemove(record: Record): StoreOperation[] {
    return [recordKey(record.id), ...indexKeys(record)].map(
      (key): StoreOperation => ({ type: "remove", key }),
    );
  }

  function toInsert(record: NewRecord<Record>): {
    record: Record;
    operations: StoreOperation[];
  } {
    const now = clock.timestamp();
    // NewRecord is Record without exactly the fields that are added here.
    const whole = {
      ...record,
      createdAt: record.createdAt ?? now,
      updatedAt: now,
      revision: 1,
    } as unknown as Record;
    return { record: whole, operations: toWrite(whole) };
  }

  const commit = (
    operations: readonly StoreOperation[],
    change: Omit<Change<Record>, "record">,
  ) =>
    core.commit(
      owner,
      [...operations, ...(change.operations ?? [])].map((operation) => ({
        ...operation,
        key: full(operation.key),
      })),
      change.events,
    );

  async function read(recordKey: string): Promise<Record | undefined> {
    const key = full(recordKey);
    const value = await core.engine.get(key);
    if (value === undefined) return undefined;
    const opened = await openEnvelope(definition, value);
    if ("record" in opened) return opened.record;
    await quarantine(host, { key, value, owner, reason: opened.reason });
    return undefined;
  }

  const get = (id: string) => read(recordKey(id));

  async function list(
    options: ListOptions<Record> = {},
  ): Promise<Page<Record>> {
    const {
      index = "newest",
      prefix = [],
      before,
      limit = DEFAULT_LIMIT,
      cursor,
      order = "descending",
      filter,
    } = options;
    if (!Object.hasOwn(indexes, index))
      throw new TypeError(
        `Collection "${definition.name}" has no index "${index}".`,
      );
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_LIMIT))
      throw new RangeError(`A limit is 1 to ${LARGEST_LIMIT}, not ${limit}.`);
    const reverse = order === "descending";
    const whole = keyRange(full(indexPrefix(index, prefix)));
    if (before) {
      const end = full(indexPrefix(index, before));
      if (end < whole.to) whole.to = end;
    }
    let range = continueRange(whole, cursor, reverse);
    const items: Record[] = [];
    const chunk = filter ? FILTER_CHUNK : limit;
    for (;;) {
      const entries = await core.engine.scan({
        ...range,
        limit: chunk,
        reverse,
      });
      for (const { key } of entries) {
        // The id is the last part of a key of an index, and stands there as it stands in the record's own.
        const idPart = key.slice(key.lastIndexOf(":"));
        const record = await read(definition.name + idPart);
        if (!record || (filter && !filter(record))) continue;
        items.push(record);
        if (items.length === limit)
          return { items, nextCursor: encodeCursor(key) };
      }
      const last = entries.at(-1);
      if (!last || entries.length < chunk) return { items, nextCursor: null };
      range = rangeBehind(range, last.key, reverse);
    }
  }

  function expectRevision(current: Record, revision: number | undefined): void {
    if (revision === undefined || revision === current.revision) return;
    throw errors.STALE_REVISION({
      current: current.revision,
      expected: revision,
    });
  }

  return {
    get,
    list,
    toInsert,
    toRemove,
    async count(index, prefix, limit) {
      const range = keyRange(full(indexPrefix(index, prefix)));
      return (await core.engine.scan({ ...range, limit, reverse: false }))
        .length;
    },
    async insert(record, also = {}) {
      const inserted = toInsert(record);
      await commit(inserted.operations, also);
      return inserted.record;
    },
    update: (id, change, { revision } = {}) =>
      lock.run(recordKey(id), async () => {
        const current = await get(id);
        if (!current) return undefined;
        expectRevision(current, revision);
        const changed = await change(current);
        if (!changed) return current;
        const next: Record = {
          ...changed.record,
          updatedAt: clock.timestamp(),
          revision: current.revision + 1,
        };
        await commit(toWrite(next, current), changed);
        return next;
      }),
    remove: (id, { revision, ...also } = {}) =>
      lock.run(recordKey(id), async () => {
        const current = await get(id);
        if (!current) return undefined;
        expectRevision(current, revision);
        await commit(toRemove(current), also);
        return current;
      }),
  };
}
