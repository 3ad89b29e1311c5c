import type { IndexKey, ListOptions, Page, StoredRecord } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import type { CollectionHost } from "./collection-host.ts";
import type { UpkeepResult } from "./collection-upkeep.ts";
import {
  continueRange,
  encodeCursor,
  keyRange,
  rangeBehind,
} from "./key-range.ts";
import type { KeyRange } from "./key-range.ts";
import { openRecord } from "./record-layout.ts";
import type { Opened, RecordLayout } from "./record-layout.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
/** Index entries read at once while a filter looks for matches. */
const FILTER_CHUNK = 200;

/** What a collection reads. */
export type CollectionReader<Record extends StoredRecord> = ReturnType<
  typeof createCollectionReader<Record>
>;

/**
 * Makes the reader of a collection. What does not fit gets a copy in quarantine, and is passed over like a record of a later
 * version. Indexes that could not be built are refused with the reason.
 */
export function createCollectionReader<Record extends StoredRecord>(
  layout: RecordLayout<Record>,
  { core: { engine }, quarantine }: CollectionHost,
  upkeep: Promise<UpkeepResult>,
) {
  const { owner, definition } = layout;

  /** Waits until an index is built. @throws `STORAGE_FULL`, `STORAGE_UNAVAILABLE` if it could not be */
  async function requireIndex(index: string): Promise<void> {
    const { unbuilt, error } = await upkeep;
    if (unbuilt.includes(index)) throw error;
  }

  /** Lets the quarantine know of what cannot be read. */
  function report(
    key: string,
    value: object,
    opened: Opened<Record>,
  ): Promise<void> | undefined {
    if (opened.kind === "unfit")
      return quarantine.report({ key, value, owner, reason: opened.reason });
    if (opened.kind === "too-new") quarantine.leave(key, opened.version);
    return undefined;
  }

  /** The records under some keys, without those that cannot be read. */
  async function readMany(
    keys: readonly string[],
  ): Promise<Map<string, Record>> {
    const found = new Map<string, Record>();
    const values = await engine.getMany(keys);
    for (const [at, value] of values.entries()) {
      const key = keys[at] ?? "";
      if (!value) continue;
      const opening = openRecord(definition, value);
      // To wait for what is there already would take a turn for each of hundreds of records.
      const opened = opening instanceof Promise ? await opening : opening;
      const reported = report(key, value, opened);
      if (reported) await reported;
      if (opened.kind === "record") found.set(key, opened.record);
    }
    return found;
  }

  /** `undefined` if there is none, or none that fits. @throws `RECORD_TOO_NEW` */
  async function read(id: string) {
    const key = layout.keyOf(id);
    const value = await engine.get(key);
    if (value === undefined) return undefined;
    const opened = await openRecord(definition, value);
    await report(key, value, opened);
    if (opened.kind === "too-new") throw errors.RECORD_TOO_NEW({ id });
    return opened.kind === "record" ? opened : undefined;
  }

  return {
    read,
    get: async (id: string) => (await read(id))?.record,
    async list(options: ListOptions<Record> = {}): Promise<Page<Record>> {
      const { index = "newest", limit = DEFAULT_LIMIT, filter } = options;
      await requireIndex(index);
      const reverse = options.order !== "ascending";
      let range = toRange(layout, { ...options, index, limit }, reverse);
      const items: Record[] = [];
      const chunk = filter ? FILTER_CHUNK : limit;
      for (;;) {
        const entries = await engine.scan({ ...range, limit: chunk, reverse });
        const keys = entries.map(({ key }) => layout.keyOfEntry(key));
        const records = await readMany(keys);
        for (const [at, { key }] of entries.entries()) {
          const record = records.get(keys[at] ?? "");
          if (!record || (filter && !filter(record))) continue;
          items.push(record);
          if (items.length === limit)
            return { items, nextCursor: encodeCursor(key) };
        }
        const last = entries.at(-1);
        if (!last || entries.length < chunk) return { items, nextCursor: null };
        range = rangeBehind(range, last.key, reverse);
      }
    },
    async count(index: string, prefix: IndexKey, limit: number) {
      await requireIndex(index);
      const range = keyRange(layout.indexPrefix(index, prefix));
      return (await engine.scan({ ...range, limit, reverse: false })).length;
    },
  };
}

/** The range of keys that a listing reads. @throws TypeError, RangeError for a mistake of the plugin; `BAD_CURSOR` */
function toRange<Record extends StoredRecord>(
  { definition, indexNames, indexPrefix }: RecordLayout<Record>,
  options: ListOptions<Record> & { index: string; limit: number },
  reverse: boolean,
): KeyRange {
  const { index, limit, prefix = [], before, cursor } = options;
  if (!indexNames.includes(index))
    throw new TypeError(
      `Collection "${definition.name}" has no index "${index}".`,
    );
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
    throw new RangeError(`A limit is 1 to ${MAX_LIMIT}, not ${limit}.`);
  const whole = keyRange(indexPrefix(index, prefix));
  if (before) {
    const end = indexPrefix(index, before);
    if (end < whole.to) whole.to = end;
  }
  return continueRange(whole, cursor, reverse);
}
