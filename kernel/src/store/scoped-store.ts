import type {
  Collection,
  CollectionDefinition,
  Store,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import { createCollection } from "./collection.ts";
import type { CollectionHost } from "./collection.ts";
import { keyRange } from "./range-driver.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";

const KEY = /^[\w%~@-][\w%~@:-]*$/;

/** Longest key in characters; far below what any driver takes. */
const LONGEST_KEY = 512;

/**
 * A plugin's view of the store: its own keys under its own prefix, and no way to name another's.
 *
 * @param owner Id of the plugin.
 */
export function createScopedStore(owner: string, host: CollectionHost): Store {
  const { core } = host;
  const prefix = `${owner}:`;
  const full = (key: string): string => {
    if (!KEY.test(key) || key.length > LONGEST_KEY || key.includes("::")) {
      throw new TypeError(
        `"${key}" is not a key: parts of letters, digits, - _ ~ @ and %xx, joined by single colons.`,
      );
    }
    return prefix + key;
  };
  const rename = (operation: StoreOperation): StoreOperation => ({
    ...operation,
    key: full(operation.key),
  });

  return {
    async get<Value extends object>(key: string) {
      return (await core.engine.get(full(key))) as Value | undefined;
    },
    set: (key, value) =>
      core.commit(owner, [rename({ type: "set", key, value })]),
    remove: (key) => core.commit(owner, [rename({ type: "remove", key })]),
    async keys(from) {
      const found = await core.engine.keys(prefix + from);
      return found.map((key) => key.slice(prefix.length));
    },
    async list<Value extends object>(
      from: string,
      {
        limit = 50,
        cursor,
        reverse = false,
      }: { limit?: number; cursor?: string; reverse?: boolean } = {},
    ) {
      const range = keyRange(prefix + from);
      if (cursor !== undefined) {
        const last = decodeCursor(cursor);
        if (last < range.from || last >= range.to) throw errors.BAD_CURSOR();
        if (reverse) range.to = last;
        else range.from = `${last}\u0000`;
      }
      const entries = await core.engine.scan({ ...range, limit, reverse });
      const last = entries.at(-1);
      return {
        items: entries.map(({ key, value }) => ({
          key: key.slice(prefix.length),
          value: value as Value,
        })),
        nextCursor:
          last && entries.length === limit ? encodeCursor(last.key) : null,
      };
    },
    batch: async (operations, events) =>
      core.commit(owner, operations.map(rename), events),
    collection: <Record extends StoredRecord>(
      definition: CollectionDefinition<Record>,
    ): Collection<Record> => createCollection(owner, definition, host),
  };
}
