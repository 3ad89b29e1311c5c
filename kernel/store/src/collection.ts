import type {
  Change,
  Collection,
  CollectionDefinition,
  NewRecord,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import { keyPart } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import type { CollectionHost } from "./collection-host.ts";
import { createCollectionReader } from "./collection-reader.ts";
import type { CollectionReader } from "./collection-reader.ts";
import { keepUp } from "./collection-upkeep.ts";
import type { Engine } from "./engine.ts";
import type { QuarantineKeeper } from "./quarantine.ts";
import {
  checkRecord,
  createRecordLayout,
  openRecord,
} from "./record-layout.ts";
import type { RecordLayout } from "./record-layout.ts";
import { hasPrefix } from "./scan-pages.ts";
import { isConflict } from "./storage-error.ts";
import { toRemoval } from "./engine.ts";

/** Records of one kind of one plugin. */
export function createCollection<Record extends StoredRecord>(
  owner: string,
  definition: CollectionDefinition<Record>,
  host: CollectionHost,
): Collection<Record> {
  const layout = createRecordLayout(owner, definition);
  const { core, quarantine } = host;
  quarantine.register(`${layout.prefix}:`, createKeeper(layout, core.engine));
  const upkeep = keepUp(layout, host);
  host.holdWrites(upkeep);
  const { read, ...reads } = createCollectionReader(layout, host, upkeep);
  return { ...reads, ...createWriter(layout, host, read) };
}

/** What is written in the same batch as a record. */
type Also<Record> = Omit<Change<Record>, "record">;

/** What a collection writes. Operations that leave it carry keys relative to the plugin, whose store adds the owner. */
function createWriter<Record extends StoredRecord>(
  layout: RecordLayout<Record>,
  host: CollectionHost,
  read: CollectionReader<Record>["read"],
): Omit<Collection<Record>, keyof CollectionReader<Record>> {
  const { clock, lock } = host;
  const { owner, definition } = layout;
  const toFull = (operation: StoreOperation): StoreOperation => ({
    ...operation,
    key: `${owner}:${operation.key}`,
  });
  const toRelative = (operation: StoreOperation): StoreOperation => ({
    ...operation,
    key: operation.key.slice(owner.length + 1),
  });

  const commit = (
    own: readonly StoreOperation[],
    { operations = [], events }: Also<Record>,
  ) => host.commit(owner, [...own, ...operations.map(toFull)], events);

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

  const toInsert = (record: Record): StoreOperation[] => [
    { type: "absent", key: layout.keyOf(record.id) },
    ...layout.toWrite(record),
  ];

  return {
    toInsert(given) {
      const record = complete(given);
      return { record, operations: toInsert(record).map(toRelative) };
    },
    toUpsert(record) {
      if (definition.unique?.length)
        throw new TypeError(
          `Collection "${definition.name}" has a unique index; use update.`,
        );
      return layout.toWrite(complete(record)).map(toRelative);
    },
    toRemove: (record) => layout.toRemove(record).map(toRelative),
    async insert(given, also = {}) {
      const record = complete(given);
      try {
        await commit(toInsert(record), also);
      } catch (error) {
        if (!isConflict(error)) throw error;
        await lock.run(layout.keyOf(record.id), async () => {
          const operations = await toReplaceUnfit(layout, host, record, error);
          await commit(operations, also).catch((refusal: unknown) =>
            explain(layout, host, refusal, record),
          );
        });
      }
      return record;
    },
    update: (id, change, { revision } = {}) =>
      lock.run(layout.keyOf(id), async () => {
        const found = await read(id);
        if (!found) return undefined;
        const { record: current, unknown } = found;
        expectRevision(current, revision);
        const changed = await change(current);
        if (!changed) return current;
        const next: Record = {
          ...changed.record,
          updatedAt: clock.timestamp(),
          revision: current.revision + 1,
        };
        checkRecord(definition, next);
        const operations = layout.toWrite(next, current, unknown);
        await commit(operations, changed).catch((refusal: unknown) =>
          explain(layout, host, refusal, next, current),
        );
        return next;
      }),
    remove: (id, { revision, ...also } = {}) =>
      lock.run(layout.keyOf(id), async () => {
        const current = (await read(id))?.record;
        if (!current) return undefined;
        expectRevision(current, revision);
        await commit(layout.toRemove(current), also);
        return current;
      }),
  };
}

function expectRevision(current: StoredRecord, expected?: number): void {
  if (expected !== undefined && expected !== current.revision)
    throw errors.STALE_REVISION({ current: current.revision, expected });
}

/** Throws why a record was refused: for a conflict, the unique index because of which it was, if one is the reason. */
async function explain<Record extends StoredRecord>(
  layout: RecordLayout<Record>,
  { core }: CollectionHost,
  refusal: unknown,
  next: Record,
  previous?: Record,
): Promise<never> {
  if (isConflict(refusal))
    for (const { index, key } of layout.claims(next, previous))
      if (await hasPrefix(core.engine, key))
        throw errors.RECORD_NOT_UNIQUE({ index }, { cause: refusal });
  throw refusal;
}

/**
 * What writes a new record in the place of one with its id that cannot be read, of which there is then a copy in quarantine.
 *
 * @param refusal Why the new one was refused at first. Thrown if there is none with its id.
 * @throws `RECORD_EXISTS` for one that can be read, or that a later version wrote
 */
async function toReplaceUnfit<Record extends StoredRecord>(
  layout: RecordLayout<Record>,
  host: CollectionHost,
  record: Record,
  refusal: unknown,
): Promise<StoreOperation[]> {
  const { engine } = host.core;
  const { owner, definition } = layout;
  const { id } = record;
  const key = layout.keyOf(id);
  const value = await engine.get(key);
  if (!value) return explain(layout, host, refusal, record);
  const opened = await openRecord(definition, value);
  if (opened.kind !== "unfit")
    throw errors.RECORD_EXISTS({ id }, { cause: refusal });
  const { reason } = opened;
  await host.quarantine.keep({ key, value, owner, reason });
  const written = layout.toWrite(record);
  const kept = new Set(written.map((operation) => operation.key));
  const stale = (await findEntries(engine, layout.prefix, key))
    .filter((entry) => !kept.has(entry))
    .map(toRemoval);
  return [...stale, ...written];
}

/** Makes what a collection does for its records in quarantine. */
const createKeeper = <Record extends StoredRecord>(
  layout: RecordLayout<Record>,
  engine: Engine,
): QuarantineKeeper => ({
  version: layout.definition.version,
  async toRestore(value) {
    const opened = await openRecord(layout.definition, value);
    if (opened.kind !== "record") return opened;
    const { record, unknown } = opened;
    const operations: StoreOperation[] = [];
    for (const operation of layout.toWrite(record, undefined, unknown)) {
      // That no record has a unique value is no condition for the one that has it already.
      const isOwnClaim =
        operation.type === "absent" &&
        (await engine.get(operation.key + keyPart(record.id))) !== undefined;
      if (!isOwnClaim) operations.push(operation);
    }
    return operations;
  },
  findEntries: (key) => findEntries(engine, layout.prefix, key),
});

/** Keys of all index entries of a record, also of one that cannot be read. */
async function findEntries(
  engine: Engine,
  prefix: string,
  recordKey: string,
): Promise<string[]> {
  const id = recordKey.slice(recordKey.lastIndexOf(":"));
  const entries = await engine.keys(`${prefix}~`);
  return entries.filter((key) => key.endsWith(id));
}
