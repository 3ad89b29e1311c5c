import { isGantryError, keyPart } from "@gantry/plugin";
import type {
  Change,
  Collection,
  CollectionDefinition,
  NewRecord,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import type { CollectionHost } from "./collection-host.ts";
import { createCollectionKeys } from "./collection-keys.ts";
import { createCollectionReader } from "./collection-reader.ts";
import { keepUp } from "./collection-upkeep.ts";
import { checkRecord, openEnvelope } from "./envelope.ts";
import { keyRange } from "./key-range.ts";

/** Records of one kind of one plugin. */
export function createCollection<Record extends StoredRecord>(
  owner: string,
  definition: CollectionDefinition<Record>,
  host: CollectionHost,
): Collection<Record> {
  const { core, clock, lock, quarantine } = host;
  // Operations that leave this collection carry keys relative to the plugin; the scoped store adds the owner.
  const keys = createCollectionKeys(definition);
  const full = (key: string) => `${owner}:${key}`;
  const toFull = (operation: StoreOperation): StoreOperation => ({
    ...operation,
    key: full(operation.key),
  });
  const reader = createCollectionReader(owner, definition, keys, host);
  quarantine.register(full(`${definition.name}:`), {
    version: definition.version,
    async toRestore(value) {
      const opened = await openEnvelope(definition, value);
      if (opened.kind === "too-new")
        return {
          reason: `it was written by a later version (${opened.version})`,
        };
      if (opened.kind === "unfit") return opened;
      const { record, unknown } = opened;
      const operations: StoreOperation[] = [];
      for (const operation of keys.toWrite(record, undefined, unknown))
        if (!(await isOwnClaim(operation, record.id)))
          operations.push(toFull(operation));
      return operations;
    },
    async toForget(recordKey) {
      const entries = await findEntries(recordKey);
      return entries.map((key) => ({ type: "remove", key: full(key) }));
    },
  });

  /** Whether an operation requires that no record has a unique value which this record has already. */
  const isOwnClaim = async ({ type, key }: StoreOperation, id: string) =>
    type === "absent" &&
    (await core.engine.get(full(key + keyPart(id)))) !== undefined;

  const upkeep = keepUp(owner, definition, keys, host);
  host.holdWrites(upkeep);

  /** Waits until an index is built. @throws `STORAGE_FULL`, `STORAGE_UNAVAILABLE` if it could not be */
  async function requireIndex(index: string): Promise<void> {
    const { unbuilt, error } = await upkeep;
    if (unbuilt.includes(index)) throw error;
  }

  function complete(record: NewRecord<Record>): Record {
    const now = clock.timestamp();
    // NewRecord is Record without exactly the fields that are added here.
    const whole = {
      ...record,
      createdAt: record.createdAt ?? now,
      updatedAt: now,
      revision: 1,
    } as unknown as Record;
    checkRecord(definition, whole);
    return whole;
  }

  function toInsert(given: NewRecord<Record>): {
    record: Record;
    operations: StoreOperation[];
  } {
    const record = complete(given);
    const isNew = { type: "absent", key: keys.record(record.id) } as const;
    return { record, operations: [isNew, ...keys.toWrite(record)] };
  }

  const commit = (
    operations: readonly StoreOperation[],
    change: Omit<Change<Record>, "record">,
  ) =>
    host.commit(
      owner,
      [...operations, ...(change.operations ?? [])].map(toFull),
      change.events,
    );

  /** Names the unique index because of which a record was refused, if one is the reason. */
  async function explainConflict(
    error: unknown,
    next: Record,
    previous?: Record,
  ): Promise<unknown> {
    if (!isConflict(error)) return error;
    for (const operation of keys.toWrite(next, previous)) {
      if (operation.type !== "absent") continue;
      const range = keyRange(full(operation.key));
      const [taken] = await core.engine.scan({
        ...range,
        limit: 1,
        reverse: false,
      });
      const [, index = ""] = /~([^:]*)/.exec(operation.key) ?? [];
      if (taken) return errors.RECORD_NOT_UNIQUE({ index }, { cause: error });
    }
    return error;
  }

  /**
   * Writes a new record in the place of one with its id that cannot be read, of which there is then a copy in quarantine.
   *
   * @param refusal Why the new one was refused at first.
   * @throws `RECORD_EXISTS` for one that can be read, or that a later version wrote
   */
  async function replaceUnfit(
    record: Record,
    value: object,
    refusal: unknown,
    also: Omit<Change<Record>, "record">,
  ): Promise<void> {
    const { id } = record;
    const key = full(keys.record(id));
    const opened = await openEnvelope(definition, value);
    if (opened.kind !== "unfit")
      throw errors.RECORD_EXISTS({ id }, { cause: refusal });
    await quarantine.keep({ key, value, owner, reason: opened.reason });
    const written = keys.toWrite(record);
    const isKept = new Set(written.map((operation) => operation.key));
    const stale = await findEntries(keys.record(id));
    const operations = stale
      .filter((entry) => !isKept.has(entry))
      .map((entry): StoreOperation => ({ type: "remove", key: entry }));
    try {
      await commit([...operations, ...written], also);
    } catch (error) {
      throw await explainConflict(error, record);
    }
  }

  /** Keys of all index entries of a record, also of one that cannot be read. */
  async function findEntries(recordKey: string): Promise<string[]> {
    const id = recordKey.slice(recordKey.lastIndexOf(":"));
    const entries = await core.engine.keys(full(`${definition.name}~`));
    return entries
      .filter((key) => key.endsWith(id))
      .map((key) => key.slice(owner.length + 1));
  }

  function expectRevision(current: Record, revision: number | undefined): void {
    if (revision === undefined || revision === current.revision) return;
    throw errors.STALE_REVISION({
      current: current.revision,
      expected: revision,
    });
  }

  return {
    toInsert,
    toUpsert(record) {
      if (definition.unique?.length)
        throw new TypeError(
          `Collection "${definition.name}" has a unique index; use update.`,
        );
      return keys.toWrite(complete(record));
    },
    toRemove: keys.toRemove,
    get: async (id) => (await reader.read(id))?.record,
    async list(options) {
      await requireIndex(options?.index ?? "newest");
      return reader.list(options);
    },
    async count(index, prefix, limit) {
      await requireIndex(index);
      const range = keyRange(full(keys.index(index, prefix)));
      const entries = await core.engine.scan({
        ...range,
        limit,
        reverse: false,
      });
      return entries.length;
    },
    async insert(given, also = {}) {
      const { record, operations } = toInsert(given);
      try {
        await commit(operations, also);
      } catch (error) {
        if (!isConflict(error)) throw error;
        const key = keys.record(record.id);
        await lock.run(key, async () => {
          const value = await core.engine.get(full(key));
          if (!value) throw await explainConflict(error, record);
          await replaceUnfit(record, value, error, also);
        });
      }
      return record;
    },
    update: (id, change, { revision } = {}) =>
      lock.run(keys.record(id), async () => {
        const read = await reader.read(id);
        if (!read) return undefined;
        const { record: current, unknown } = read;
        expectRevision(current, revision);
        const changed = await change(current);
        if (!changed) return current;
        const next: Record = {
          ...changed.record,
          updatedAt: clock.timestamp(),
          revision: current.revision + 1,
        };
        checkRecord(definition, next);
        try {
          await commit(keys.toWrite(next, current, unknown), changed);
        } catch (error) {
          throw await explainConflict(error, next, current);
        }
        return next;
      }),
    remove: (id, { revision, ...also } = {}) =>
      lock.run(keys.record(id), async () => {
        const current = (await reader.read(id))?.record;
        if (!current) return undefined;
        expectRevision(current, revision);
        await commit(keys.toRemove(current), also);
        return current;
      }),
  };
}

const isConflict = (error: unknown) =>
  isGantryError(error) && error.code === "STORE_CONFLICT";
