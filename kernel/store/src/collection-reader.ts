import type {
  CollectionDefinition,
  ListOptions,
  Page,
  StoredRecord,
} from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import type { CollectionHost } from "./collection-host.ts";
import type { CollectionKeys } from "./collection-keys.ts";
import { continueRange, encodeCursor } from "./cursor.ts";
import { openEnvelope } from "./envelope.ts";
import type { Opened } from "./envelope.ts";
import { keyRange, rangeBehind } from "./key-range.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
/** Index entries read at once while a filter looks for matches. */
const FILTER_CHUNK = 200;

/** A record with what lies in the store beside it. */
export interface ReadRecord<Record> {
  record: Record;
  unknown: object;
}

/** Reads the records of a collection. */
export interface CollectionReader<Record extends StoredRecord> {
  /** `undefined` if there is none, or none that fits. @throws `RECORD_TOO_NEW` */
  read(id: string): Promise<ReadRecord<Record> | undefined>;
  list(options?: ListOptions<Record>): Promise<Page<Record>>;
}

/** Makes a reader. What does not fit gets a copy in quarantine, and is passed over like a record of a later version. */
export function createCollectionReader<Record extends StoredRecord>(
  owner: string,
  definition: CollectionDefinition<Record>,
  keys: CollectionKeys<Record>,
  { core, quarantine }: CollectionHost,
): CollectionReader<Record> {
  const { engine } = core;
  const full = (key: string) => `${owner}:${key}`;

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
    recordKeys: readonly string[],
  ): Promise<Map<string, Record>> {
    const found = new Map<string, Record>();
    const values = await engine.getMany(recordKeys);
    for (const [at, value] of values.entries()) {
      const key = recordKeys[at] ?? "";
      if (!value) continue;
      const opening = openEnvelope(definition, value);
      // To wait for what is there already would take a turn for each of hundreds of records.
      const opened = opening instanceof Promise ? await opening : opening;
      const reported = report(key, value, opened);
      if (reported) await reported;
      if (opened.kind === "record") found.set(key, opened.record);
    }
    return found;
  }

  async function list({
    index = "newest",
    prefix = [],
    before,
    limit = DEFAULT_LIMIT,
    cursor,
    order = "descending",
    filter,
  }: ListOptions<Record> = {}): Promise<Page<Record>> {
    if (!keys.indexNames.includes(index))
      throw new TypeError(
        `Collection "${definition.name}" has no index "${index}".`,
      );
    if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT))
      throw new RangeError(`A limit is 1 to ${MAX_LIMIT}, not ${limit}.`);
    const reverse = order === "descending";
    const whole = keyRange(full(keys.index(index, prefix)));
    if (before) {
      const end = full(keys.index(index, before));
      if (end < whole.to) whole.to = end;
    }
    let range = continueRange(whole, cursor, reverse);
    const items: Record[] = [];
    const chunk = filter ? FILTER_CHUNK : limit;
    for (;;) {
      const entries = await engine.scan({ ...range, limit: chunk, reverse });
      const recordKeys = entries.map(({ key }) => full(keys.recordOf(key)));
      const records = await readMany(recordKeys);
      for (const [at, { key }] of entries.entries()) {
        const record = records.get(recordKeys[at] ?? "");
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

  return {
    list,
    async read(id) {
      const key = full(keys.record(id));
      const value = await engine.get(key);
      if (value === undefined) return undefined;
      const opened = await openEnvelope(definition, value);
      await report(key, value, opened);
      if (opened.kind === "too-new") throw errors.RECORD_TOO_NEW({ id });
      return opened.kind === "record" ? opened : undefined;
    },
  };
}
