import { isGantryError } from "@gantry/plugin";
import type {
  Change,
  Collection,
  CollectionDefinition,
  NewRecord,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { CollectionHost } from "./collection-host.ts";
import { layOutKeys } from "./collection-keys.ts";
import type { CollectionKeys } from "./collection-keys.ts";
import { createCollectionReader } from "./collection-reader.ts";
import { keepUp } from "./collection-upkeep.ts";
import { checkRecord, openEnvelope } from "./envelope.ts";
import { keyRange } from "./range-driver.ts";

/** Records of one kind of one plugin. */
export function createCollection<Record extends StoredRecord>(
  owner: string,
  definition: CollectionDefinition<Record>,
  host: CollectionHost,
): Collection<Record> {
  const { core, clock, lock, quarantine } = host;
  // Operations that leave this collection carry keys relative to the plugin; the scoped store adds the owner.
  const keys = layOutKeys(definition);
  const full = (key: string) => `${owner}:${key}`;
  const reader = createCollectionReader(owner, definition, keys, host);
  registerKeeper(owner, definition, keys, host);
  const upkeep = keepUp(owner, definition, keys, host);
  host.holdWrites(upkeep);

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
      [...operations, ...(change.operations ?? [])].map((operation) => ({
        ...operation,
        key: full(operation.key),
      })),
      change.events,
    );

  /** Says which record is in the way of another one, if one is. */
  async function explainConflict(
    error: unknown,
    next: Record,
    previous?: Record,
  ): Promise<unknown> {
    if (!isGantryError(error) || error.code !== "STORE_CONFLICT") return error;
    const { id } = next;
    if (!previous && (await core.engine.get(full(keys.record(id)))))
      return errors.RECORD_EXISTS({ id }, { cause: error });
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
   * Whether what is in the way of a new record cannot be read: there is a copy of it in quarantine, so that the new
   * one may take its place.
   */
  async function isUnfit(id: string): Promise<boolean> {
    const key = full(keys.record(id));
    const value = await core.engine.get(key);
    if (!value) return false;
    const opened = await openEnvelope(definition, value);
    if (opened.kind !== "unfit") return false;
    await quarantine.keep({ key, value, owner, reason: opened.reason });
    return true;
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
      await upkeep;
      return reader.list(options);
    },
    async count(index, prefix, limit) {
      await upkeep;
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
        const conflict = await explainConflict(error, record);
        const isTaken =
          isGantryError(conflict) && conflict.code === "RECORD_EXISTS";
        if (!isTaken || !(await isUnfit(record.id))) throw conflict;
        await commit(keys.toWrite(record), also);
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

/** Lets the quarantine restore records of a collection, and forget them. */
function registerKeeper<Record extends StoredRecord>(
  owner: string,
  definition: CollectionDefinition<Record>,
  keys: CollectionKeys<Record>,
  { core, quarantine }: CollectionHost,
): void {
  const toFull = (operation: StoreOperation): StoreOperation => ({
    ...operation,
    key: `${owner}:${operation.key}`,
  });
  quarantine.register(`${owner}:${definition.name}:`, {
    async toRestore(value) {
      const opened = await openEnvelope(definition, value);
      if (opened.kind === "too-new")
        return {
          reason: `it was written by a later version (${opened.version})`,
        };
      if (opened.kind === "unfit") return opened;
      const { record, unknown } = opened;
      return keys.toWrite(record, undefined, unknown).map(toFull);
    },
    async toForget(recordKey) {
      const id = recordKey.slice(recordKey.lastIndexOf(":"));
      const entries = await core.engine.keys(`${owner}:${definition.name}~`);
      return entries
        .filter((key) => key.endsWith(id))
        .map((key) => ({ type: "remove", key }));
    },
  });
}
