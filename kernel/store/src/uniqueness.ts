import type {
  CollectionDefinition,
  StoredRecord,
  StoreOperation,
} from "@gantry/plugin";
import type { CollectionHost } from "./collection-host.ts";
import type { CollectionKeys } from "./collection-keys.ts";
import { keyRange } from "./key-range.ts";

/** Keeps unique indexes unique while their entries are rebuilt. */
export interface Uniqueness<Record extends StoredRecord> {
  /**
   * The first of some indexes that is unique, has no entry of a record yet, and has one of another record with its values.
   *
   * @param wanted Entries that are to be added as well.
   */
  findTaken(
    record: Record,
    indexes: readonly string[],
    wanted: ReadonlySet<string>,
  ): Promise<string | undefined>;
  /** Puts a record into quarantine, and removes it with all its index entries. */
  setAside(found: {
    /** Full key. */
    key: string;
    value: object;
    record: Record;
    index: string;
  }): Promise<void>;
}

/** Maintains the unique indexes of a collection. */
export function createUniqueness<Record extends StoredRecord>(
  owner: string,
  { unique = [] }: Pick<CollectionDefinition<Record>, "unique">,
  keys: CollectionKeys<Record>,
  { core: { engine }, quarantine }: Pick<CollectionHost, "core" | "quarantine">,
): Uniqueness<Record> {
  const full = (key: string) => `${owner}:${key}`;

  async function isTaken(
    entry: string,
    wanted: ReadonlySet<string>,
  ): Promise<boolean> {
    if ((await engine.get(full(entry))) !== undefined) return false;
    // The id is the last part.
    const values = entry.slice(0, entry.lastIndexOf(":") + 1);
    for (const other of wanted) if (other.startsWith(values)) return true;
    const range = keyRange(full(values));
    const [first] = await engine.scan({ ...range, limit: 1, reverse: false });
    return first !== undefined;
  }

  return {
    async findTaken(record, indexes, wanted) {
      for (const index of unique)
        if (indexes.includes(index))
          for (const entry of keys.entries(record, [index]))
            if (await isTaken(entry, wanted)) return index;
      return undefined;
    },
    async setAside({ key, value, record, index }) {
      const reason = `another record has the same ${index}, which must be unique`;
      await quarantine.keep({ key, value, owner, reason, isRemoved: true });
      await engine.commit(
        keys.toRemove(record).map((operation): StoreOperation => ({
          ...operation,
          key: full(operation.key),
        })),
      );
    },
  };
}
