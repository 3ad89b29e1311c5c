import { keyPart } from "@gantry/plugin";
import type { StoredRecord, StoreOperation } from "@gantry/plugin";
import type { CollectionHost } from "./collection-host.ts";
import { keyRange } from "./key-range.ts";
import { openRecord } from "./record-layout.ts";
import type { RecordLayout } from "./record-layout.ts";
import { hasPrefix, scanPages } from "./scan-pages.ts";
import { isStorageFailure } from "./storage-error.ts";
import { toRemoval } from "./engine.ts";
import type { Entry } from "./engine.ts";

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
export const keepUp = <Record extends StoredRecord>(
  layout: RecordLayout<Record>,
  host: CollectionHost,
): Promise<UpkeepResult> => new Upkeep(layout, host).run();

class Upkeep<Record extends StoredRecord> {
  readonly #layout: RecordLayout<Record>;
  readonly #host: CollectionHost;
  readonly #stateKey: string;

  constructor(layout: RecordLayout<Record>, host: CollectionHost) {
    this.#layout = layout;
    this.#host = host;
    this.#stateKey = `kernel:collection:${layout.prefix}`;
  }

  async run(): Promise<UpkeepResult> {
    const { log, quarantine, signal } = this.#host;
    const { prefix, definition, indexNames } = this.#layout;
    const collection = definition.name;
    let unfinished: readonly string[] = [];
    try {
      const state = (await this.#engine.get(this.#stateKey)) as
        CollectionState | undefined;
      const changed = await this.#findChanged(state);
      const dropped = Object.keys(state?.indexes ?? {}).filter(
        (index) => !indexNames.includes(index),
      );
      unfinished = [...changed, ...dropped];
      if (unfinished.length > 0) await this.#noteIndexes(unfinished);
      for (const index of unfinished) await this.#removeStale(index);
      if (changed.length > 0) {
        const indexes = changed.join(", ");
        log.info("Building indexes", { collection, indexes });
        await this.#addMissing(changed);
      }
      unfinished = [];
      await quarantine.restoreFitting(`${prefix}:`);
      await this.#noteIndexes();
    } catch (error) {
      // At the next start it starts over.
      if (!signal?.aborted)
        log.error("Indexes could not be built", { collection }, error);
      if (isStorageFailure(error)) return { unbuilt: unfinished, error };
    }
    return { unbuilt: [] };
  }

  get #engine() {
    return this.#host.core.engine;
  }

  async #commit(operations: readonly StoreOperation[]): Promise<void> {
    if (operations.length > 0) await this.#engine.commit(operations);
  }

  /** Reads a range in steps, until the plugin stops. */
  async *#steps(prefix: string) {
    for await (const entries of scanPages(this.#engine, prefix)) {
      this.#host.signal?.throwIfAborted();
      yield entries;
    }
  }

  async #open(key: string, value: object): Promise<Record | undefined> {
    const opened = await openRecord(this.#layout.definition, value);
    if (opened.kind === "too-new")
      this.#host.quarantine.leave(key, opened.version);
    return opened.kind === "record" ? opened.record : undefined;
  }

  /** What some index entries are about: what lies there, and the record if it can be read. */
  async #resolve(entries: readonly Entry[]) {
    const keys = entries.map(({ key }) => this.#layout.keyOfEntry(key));
    const values = await this.#engine.getMany(keys);
    return Promise.all(
      entries.map(async ({ key }, at) => {
        const value = values[at];
        const record = value && (await this.#open(keys[at] ?? "", value));
        return { key, value, record };
      }),
    );
  }

  /** Indexes that have to be built. */
  async #findChanged(
    state: CollectionState | undefined,
  ): Promise<readonly string[]> {
    const { prefix, indexNames, indexPrefix, digest } = this.#layout;
    if (!(await hasPrefix(this.#engine, `${prefix}:`))) return [];
    const changed: string[] = [];
    for (const index of indexNames) {
      // What wrote the entries before definitions were noted kept them in order, but knew no index that is new.
      const isFresh = state
        ? state.indexes[index] === digest(index)
        : await hasPrefix(this.#engine, indexPrefix(index, []));
      if (!isFresh) changed.push(index);
    }
    const others = indexNames.filter((index) => !changed.includes(index));
    return (await this.#isSampleWhole(others)) ? changed : indexNames;
  }

  /** Whether the newest records have all their entries in some indexes. */
  async #isSampleWhole(indexes: readonly string[]): Promise<boolean> {
    const range = keyRange(this.#layout.indexPrefix("newest", []));
    const newest = { ...range, limit: SAMPLE, reverse: true };
    const wanted: string[] = [];
    for (const { record } of await this.#resolve(
      await this.#engine.scan(newest),
    ))
      if (record) wanted.push(...this.#layout.entries(record, indexes));
    return (await this.#toAdd(wanted)).length === 0;
  }

  /** Removes the entries of an index that its definition does not make of the records that they are about. */
  async #removeStale(index: string): Promise<void> {
    const { prefix, indexNames, entries } = this.#layout;
    const isDropped = !indexNames.includes(index);
    for await (const page of this.#steps(`${prefix}~${index}:`)) {
      const stale = isDropped
        ? page
        : (await this.#resolve(page)).filter(
            ({ key, value, record }) =>
              // Of a record that cannot be read now, another version may need them.
              !value || (record && !entries(record, [index]).has(key)),
          );
      await this.#commit(stale.map(({ key }) => toRemoval(key)));
    }
  }

  async #addMissing(indexes: readonly string[]): Promise<void> {
    const { prefix, entries } = this.#layout;
    for await (const page of this.#steps(`${prefix}:`)) {
      const wanted = new Set<string>();
      for (const { key, value } of page) {
        const record = await this.#open(key, value);
        if (!record) continue;
        const taken = await this.#findTaken(record, indexes, wanted);
        if (taken === undefined)
          for (const entry of entries(record, indexes)) wanted.add(entry);
        else await this.#setAside(key, value, record, taken);
      }
      await this.#commit(await this.#toAdd([...wanted]));
    }
  }

  /** What writes those of some index entries that are not there. */
  async #toAdd(wanted: readonly string[]): Promise<StoreOperation[]> {
    const values = await this.#engine.getMany(wanted);
    return wanted
      .filter((_key, at) => values[at] === undefined)
      .map((key) => ({ type: "set", key, value: {} }));
  }

  /**
   * The first of some indexes that is unique, has no entry of a record yet, and has one of another record with its values.
   *
   * @param wanted Entries that are to be added as well.
   */
  async #findTaken(
    record: Record,
    indexes: readonly string[],
    wanted: ReadonlySet<string>,
  ): Promise<string | undefined> {
    for (const { index, key } of this.#layout.claims(record)) {
      if (!indexes.includes(index)) continue;
      const own = await this.#engine.get(key + keyPart(record.id));
      if (own !== undefined) continue;
      const isWanted = [...wanted].some((entry) => entry.startsWith(key));
      if (isWanted || (await hasPrefix(this.#engine, key))) return index;
    }
    return undefined;
  }

  /** Puts a record into quarantine, and removes it with all its index entries. */
  async #setAside(key: string, value: object, record: Record, index: string) {
    const { owner, toRemove } = this.#layout;
    const reason = `another record has the same ${index}, which must be unique`;
    const found = { key, value, owner, reason, isRemoved: true };
    await this.#host.quarantine.keep(found);
    await this.#engine.commit(toRemove(record));
  }

  /**
   * Notes how the indexes are defined, if that is not noted yet.
   *
   * @param unfinished Indexes whose entries are about to change. Until that is done they fit no definition, also none of
   *   another version that is started after an interruption.
   */
  async #noteIndexes(unfinished: readonly string[] = []): Promise<void> {
    const { indexNames, digest } = this.#layout;
    const value: CollectionState = {
      indexes: Object.fromEntries([
        ...indexNames.map((index) => [index, digest(index)] as const),
        ...unfinished.map((index) => [index, UNFINISHED] as const),
      ]),
    };
    const noted = await this.#engine.get(this.#stateKey);
    if (JSON.stringify(value) !== JSON.stringify(noted))
      await this.#commit([{ type: "set", key: this.#stateKey, value }]);
  }
}
