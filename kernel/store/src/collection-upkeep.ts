import type {
  CollectionDefinition,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import type { CollectionHost } from "./collection-host.ts";
import type { CollectionKeys } from "./collection-keys.ts";
import { openEnvelope } from "./envelope.ts";
import type { Entry } from "./engine.ts";
import { keyRange } from "./key-range.ts";
import { scanPages } from "./scan-pages.ts";
import { isStorageFailure } from "./storage-error.ts";
import { createUniqueness } from "./uniqueness.ts";

/** Newest records whose index entries are looked at when nothing else says that an index has changed. */
const SAMPLE = 20;

/** How the indexes of a collection were defined when their entries were written. */
interface CollectionState {
  /** Digests by name. */
  indexes: { [name: string]: string };
}

/** How the upkeep of a collection ended. */
export interface UpkeepResult {
  /** Indexes that may lack entries until the next start, because the storage failed. */
  unbuilt: readonly string[];
  /** The failure of the storage. */
  error?: unknown;
}

/** In place of a digest, for an index that is being built or dropped. */
const UNFINISHED = "";

/**
 * Brings what lies in the store of a collection in line with its definition: builds indexes that are new or defined in another
 * way, removes those that are no longer defined, and restores records from quarantine that fit by now. A record that is not in a
 * unique index yet, where another one has its values, is put into quarantine. It goes in steps, can be interrupted at each, and
 * then starts over at the next start.
 *
 * An index function is compared by its text. A helper that it calls may have changed all the same, so the newest
 * records are looked at as well.
 *
 * @returns resolves when the indexes can be read; never rejects
 */
export async function keepUp<Record extends StoredRecord>(
  owner: string,
  definition: CollectionDefinition<Record>,
  keys: CollectionKeys<Record>,
  host: CollectionHost,
): Promise<UpkeepResult> {
  const { core, quarantine, log, signal } = host;
  const { engine } = core;
  const { name } = definition;
  const full = (key: string) => `${owner}:${key}`;
  const stateKey = `kernel:collection:${owner}:${name}`;
  const commit = (operations: readonly StoreOperation[]) =>
    operations.length > 0 ? engine.commit(operations) : undefined;
  const uniqueness = createUniqueness(owner, definition, keys, host);

  const recordOf = async (
    key: string,
    value: object,
  ): Promise<Record | undefined> => {
    const opened = await openEnvelope(definition, value);
    if (opened.kind === "too-new") quarantine.leave(key, opened.version);
    return opened.kind === "record" ? opened.record : undefined;
  };

  /** Reads a range in steps, until the plugin stops. */
  async function eachStep(
    prefix: string,
    work: (entries: readonly Entry[]) => Promise<void>,
  ): Promise<void> {
    for await (const entries of scanPages(engine, full(prefix))) {
      signal?.throwIfAborted();
      await work(entries);
    }
  }

  /** Removes the entries of an index that its definition does not make of the records that they are about. */
  const removeStale = (index: string) =>
    eachStep(`${name}~${index}:`, async (entries) => {
      const recordKeys = entries.map(({ key }) => full(keys.recordOf(key)));
      const values = await engine.getMany(recordKeys);
      const isKept = await Promise.all(
        entries.map(async ({ key }, at) => {
          const value = values[at];
          if (!value || !keys.indexNames.includes(index)) return false;
          const record = await recordOf(recordKeys[at] ?? "", value);
          // Of a record that cannot be read now, another version may need them.
          return (
            !record ||
            keys.entries(record, [index]).has(key.slice(owner.length + 1))
          );
        }),
      );
      await commit(
        entries
          .filter((_entry, at) => !isKept[at])
          .map(({ key }) => ({ type: "remove", key })),
      );
    });

  /** What writes those of some entries that are not there. */
  async function toAdd(wanted: readonly string[]): Promise<StoreOperation[]> {
    const values = await engine.getMany(wanted.map(full));
    return wanted
      .filter((_key, at) => values[at] === undefined)
      .map((key) => ({ type: "set", key: full(key), value: {} }));
  }

  const addMissing = (indexes: readonly string[]) =>
    eachStep(`${name}:`, async (entries) => {
      const wanted = new Set<string>();
      for (const { key, value } of entries) {
        const record = await recordOf(key, value);
        if (!record) continue;
        const taken = await uniqueness.findTaken(record, indexes, wanted);
        if (taken === undefined)
          for (const entry of keys.entries(record, indexes)) wanted.add(entry);
        else await uniqueness.setAside({ key, value, record, index: taken });
      }
      await commit(await toAdd([...wanted]));
    });

  /** Whether the newest records have all their entries in some indexes. */
  async function isSampleWhole(indexes: readonly string[]): Promise<boolean> {
    const entries = await engine.scan({
      ...keyRange(full(keys.index("newest", []))),
      limit: SAMPLE,
      reverse: true,
    });
    const recordKeys = entries.map(({ key }) => full(keys.recordOf(key)));
    const values = await engine.getMany(recordKeys);
    const wanted: string[] = [];
    for (const [at, value] of values.entries()) {
      const record = value && (await recordOf(recordKeys[at] ?? "", value));
      if (record) wanted.push(...keys.entries(record, indexes));
    }
    return (await toAdd(wanted)).length === 0;
  }

  const isEmpty = async (prefix: string) =>
    (
      await engine.scan({
        ...keyRange(full(prefix)),
        limit: 1,
        reverse: false,
      })
    ).length === 0;

  /** Indexes that have to be built. */
  async function findChanged(
    state: CollectionState | undefined,
  ): Promise<readonly string[]> {
    const { indexNames } = keys;
    if (await isEmpty(`${name}:`)) return [];
    const changed: string[] = [];
    for (const index of indexNames) {
      // What wrote the entries before definitions were noted kept them in order, but knew no index that is new.
      const isStale = state
        ? state.indexes[index] !== keys.digest(index)
        : await isEmpty(keys.index(index, []));
      if (isStale) changed.push(index);
    }
    const others = indexNames.filter((index) => !changed.includes(index));
    return (await isSampleWhole(others)) ? changed : indexNames;
  }

  /**
   * Notes how the indexes are defined, if that is not noted yet.
   *
   * @param unfinished Indexes whose entries are about to change. Until that is done they fit no definition, also none of
   *   another version that is started after an interruption.
   */
  async function noteIndexes(
    unfinished: readonly string[] = [],
  ): Promise<void> {
    const value: CollectionState = {
      indexes: Object.fromEntries([
        ...keys.indexNames.map((index) => [index, keys.digest(index)]),
        ...unfinished.map((index) => [index, UNFINISHED]),
      ]) as CollectionState["indexes"],
    };
    const noted = await engine.get(stateKey);
    if (JSON.stringify(value) !== JSON.stringify(noted))
      await engine.commit([{ type: "set", key: stateKey, value }]);
  }

  let unfinished: readonly string[] = [];
  try {
    const state = (await engine.get(stateKey)) as CollectionState | undefined;
    const changed = await findChanged(state);
    const dropped = Object.keys(state?.indexes ?? {}).filter(
      (index) => !keys.indexNames.includes(index),
    );
    unfinished = [...changed, ...dropped];
    if (unfinished.length > 0) await noteIndexes(unfinished);
    for (const index of unfinished) await removeStale(index);
    if (changed.length > 0) {
      log.info("Building indexes", {
        collection: name,
        indexes: changed.join(", "),
      });
      await addMissing(changed);
    }
    unfinished = [];
    await quarantine.restoreFitting(full(`${name}:`));
    await noteIndexes();
  } catch (error) {
    // At the next start it starts over.
    if (!signal?.aborted)
      log.error("Indexes could not be built", { collection: name }, error);
    if (isStorageFailure(error)) return { unbuilt: unfinished, error };
  }
  return { unbuilt: [] };
}
