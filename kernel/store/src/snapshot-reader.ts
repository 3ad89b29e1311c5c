import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import type { StoreEntry } from "@gantry/plugin";
import { keyRange } from "./key-range.ts";
import type { RangeImage, TextRange } from "./range-driver.ts";

type Row = [key: string, text: string];

const toRows = (rows: unknown) => rows as Row[];
const toEntry = ([key, text]: Row): StoreEntry => ({ key, text });

export type SnapshotReader = ReturnType<typeof openSnapshotReader>;

/**
 * Reads a database that is open for writing in this process through a connection of its own, so that reads can stay with
 * what is on disk while more is being written.
 */
export function openSnapshotReader(file: string) {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  /** Rows come as arrays, in half the time of objects. */
  const prepare = (sql: string): StatementSync => {
    const prepared = database.prepare(sql);
    prepared.setReturnArrays(true);
    return prepared;
  };
  const inRange = "FROM entries WHERE key >= ? AND key < ? ORDER BY key";
  const statement = {
    get: prepare("SELECT value FROM entries WHERE key = ?"),
    getMany: prepare(
      "SELECT entries.key, entries.value FROM json_each(?) AS wanted JOIN entries ON entries.key = wanted.value",
    ),
    keys: prepare(`SELECT key ${inRange}`),
    ascending: prepare(`SELECT key, value ${inRange} LIMIT ?`),
    descending: prepare(`SELECT key, value ${inRange} DESC LIMIT ?`),
    begin: prepare("BEGIN"),
    // A transaction takes its snapshot at its first read, here of the one page that it reads anyway.
    touch: prepare("SELECT 1 FROM sqlite_schema LIMIT 1"),
    commit: prepare("COMMIT"),
  } satisfies Record<string, StatementSync>;

  function readRange(range: TextRange): StoreEntry[] {
    const { from, to, limit, reverse, maxLength } = range;
    const inOrder = reverse ? statement.descending : statement.ascending;
    // Takes less time than one by one.
    if (maxLength === undefined)
      return toRows(inOrder.all(from, to, limit)).map(toEntry);
    const entries: StoreEntry[] = [];
    let length = 0;
    for (const row of inOrder.iterate(from, to, limit)) {
      const entry = toEntry(row as unknown as Row);
      entries.push(entry);
      length += entry.text.length;
      if (length >= maxLength) break;
    }
    return entries;
  }

  return {
    getItem(key: string): string | null {
      const row = statement.get.get(key) as unknown as [string] | undefined;
      return row?.[0] ?? null;
    },
    getTexts(keys: readonly string[]): (string | undefined)[] {
      const found = new Map(
        toRows(statement.getMany.all(JSON.stringify(keys))),
      );
      return keys.map((key) => found.get(key));
    },
    getKeys(prefix: string): string[] {
      const { from, to } = keyRange(prefix);
      return toRows(statement.keys.all(from, to)).map(([key]) => key);
    },
    readRange,
    /** From now on reads see what is committed at this moment, whatever is committed later. */
    hold() {
      if (database.isTransaction) return;
      statement.begin.run();
      statement.touch.get();
    },
    /** Ends that: reads see everything that is committed. */
    release() {
      if (database.isTransaction) statement.commit.run();
    },
    close: () => database.close(),
  };
}

/** An image of the database, which can be ended for another reason than that it is closed. */
export interface HeldImage extends RangeImage {
  end(reason: Error): void;
}

/**
 * Opens an image of a database: a reader that is held. Until it ends, the write-ahead log does not start over, so it grows
 * with each write.
 *
 * @param onEnd Called once, after it has ended.
 */
export function openHeldImage(file: string, onEnd: () => void): HeldImage {
  const reader = openSnapshotReader(file);
  try {
    reader.hold();
  } catch (error) {
    reader.close();
    throw error;
  }
  let ended: Error | undefined;

  function end(reason: Error): void {
    if (ended) return;
    ended = reason;
    reader.close();
    onEnd();
  }

  return {
    end,
    close: () => end(new Error("The image is closed.")),
    readRange(range) {
      if (ended) throw ended;
      return reader.readRange(range);
    },
  };
}
