import { createKeyedLock } from "@gantry/plugin";
import type {
  Collection,
  CollectionDefinition,
  Store,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import { createCollection } from "./collection.ts";
import type { StoreHost } from "./collection-host.ts";
import { Unreadable } from "./engine.ts";
import type { StoreCore } from "./store-core.ts";
import { continueRange, encodeCursor, keyRange } from "./key-range.ts";

type ListOptions = NonNullable<Parameters<Store["list"]>[1]>;

const KEY = /^[\w%~@-]+(:[\w%~@-]+)*$/;

/** Longest key in characters; far below what any driver takes. */
const MAX_KEY_LENGTH = 512;

/**
 * A plugin's view of the store: its own keys under its own prefix, and no way to name another's.
 *
 * @param owner Id of the plugin.
 */
export function createScopedStore(owner: string, host: StoreHost): Store {
  const { core, quarantine } = host;
  const prefix = `${owner}:`;
  const lock = createKeyedLock();
  const upkeeps = new Set<Promise<unknown>>();
  const full = (key: string) => prefix + expectKey(key);
  const rename = (operation: StoreOperation): StoreOperation => {
    const { type, key } = operation;
    // What no key may begin with ends between two parts, as values of a unique index do.
    const isPrefix = type === "absent" && operation.isPrefix;
    expectKey(isPrefix ? key.replace(/:$/, "") : key);
    return { ...operation, key: prefix + key };
  };

  /** A damaged value gets a copy in quarantine like a record that does not fit. */
  const report = (key: string, value: Unreadable) =>
    quarantine.report({ key, value, owner, reason: value.reason });

  function holdWrites(upkeep: Promise<unknown>): void {
    upkeeps.add(upkeep);
    void upkeep.then(() => upkeeps.delete(upkeep));
    host.onUpkeep?.(upkeep);
  }

  /** What a write changes under an upkeep would be missing in the indexes that it builds. */
  const commit: StoreCore["commit"] = async (...args) => {
    while (upkeeps.size > 0) await Promise.all(upkeeps);
    return core.commit(...args);
  };

  return {
    async get<Value extends object>(given: string) {
      const key = full(given);
      const value = await core.engine.get(key);
      if (!(value instanceof Unreadable)) return value as Value | undefined;
      await report(key, value);
      return undefined;
    },
    set: async (key, value) =>
      commit(owner, [rename({ type: "set", key, value })]),
    remove: async (key) => commit(owner, [rename({ type: "remove", key })]),
    async keys(from) {
      const found = await core.engine.keys(prefix + from);
      return found.map((key) => key.slice(prefix.length));
    },
    async list<Value extends object>(
      from: string,
      { limit = 50, cursor, reverse = false }: ListOptions = {},
    ) {
      const range = continueRange(keyRange(prefix + from), cursor, reverse);
      const entries = await core.engine.scan({ ...range, limit, reverse });
      const last = entries.at(-1);
      const items: { key: string; value: Value }[] = [];
      for (const { key, value } of entries)
        if (value instanceof Unreadable) await report(key, value);
        else
          items.push({ key: key.slice(prefix.length), value: value as Value });
      const isFull = last && entries.length === limit;
      return { items, nextCursor: isFull ? encodeCursor(last.key) : null };
    },
    batch: async (operations, events) =>
      commit(owner, operations.map(rename), events),
    collection: <Record extends StoredRecord>(
      definition: CollectionDefinition<Record>,
    ): Collection<Record> =>
      createCollection(owner, definition, {
        ...host,
        lock,
        commit,
        holdWrites,
      }),
  };
}

function expectKey(key: string): string {
  if (KEY.test(key) && key.length <= MAX_KEY_LENGTH) return key;
  throw new TypeError(
    `"${key}" is not a key: parts of letters, digits, - _ ~ @ and %xx, joined by single colons.`,
  );
}
