import { DatabaseSync } from "node:sqlite";
import type { Log } from "@gantry/plugin";
import { keyRange } from "@gantry/store/key-range";
import type { Row } from "@gantry/store/snapshot-reader";
import { EVENT_FLOOR_KEY, EVENT_PREFIX } from "@gantry/store/store-core";
import type { EventFloor } from "@gantry/store/store-core";
import { isThere } from "./durable-files.ts";
import { eventNumberOf, makeFloor } from "./event-floor.ts";
import { listKeptPrefixes, machinePrefixOf } from "./kept-keys.ts";
import type { PendingReplacement } from "./replacement-files.ts";

/** Prefixes of what stays with the old database although it is not replaced: it is bound to that, or is rebuilt. */
const NOT_COPIED = new Set(["kernel:lease", "kernel:journal", EVENT_FLOOR_KEY]);

/**
 * Copies what a replacement leaves as it is from the old database into the staged one, and notes where its events continue. It
 * is one transaction, and done once: after an interruption it is done again or was done.
 *
 * @param old A database that no process has open. From one that cannot be read nothing is copied.
 */
export async function completeDatabase(
  staged: string,
  old: string,
  { stage, keepsSessions }: PendingReplacement,
  log: Log,
): Promise<void> {
  if (!(await isThere(staged))) return;
  const database = new DatabaseSync(staged);
  try {
    const get = database.prepare("SELECT value FROM entries WHERE key = ?");
    const done = get.get(EVENT_FLOOR_KEY) as Row | undefined;
    if (done && (JSON.parse(done.value) as EventFloor).stage === stage) return;
    const kept = await readKept(old, keepsSessions, log);
    const floor = makeFloor(stage, kept?.newest, newestEvent(database));
    const set = database.prepare(
      "INSERT OR REPLACE INTO entries VALUES (?, ?)",
    );
    database.exec("BEGIN IMMEDIATE");
    for (const { key, value } of kept?.rows ?? []) set.run(key, value);
    set.run(EVENT_FLOOR_KEY, JSON.stringify(floor));
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}

async function readKept(
  file: string,
  keepsSessions: boolean,
  log: Log,
): Promise<{ rows: Row[]; newest: number } | undefined> {
  if (!(await isThere(file))) return { rows: [], newest: 0 };
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    const select = database.prepare(
      "SELECT key, value FROM entries WHERE key >= ? AND key < ?",
    );
    const prefixes = listKeptPrefixes(keepsSessions).filter(
      (prefix) => !NOT_COPIED.has(prefix),
    );
    prefixes.push(...[...namespacesIn(database)].map(machinePrefixOf));
    const rows = prefixes.flatMap((prefix) => {
      const { from, to } = keyRange(prefix);
      return select.all(from, to) as unknown as Row[];
    });
    const { from, to } = keyRange(EVENT_FLOOR_KEY);
    const [floor] = select.all(from, to) as unknown as Row[];
    const { after = 0 } = floor
      ? (JSON.parse(floor.value) as Partial<EventFloor>)
      : {};
    return { rows, newest: Math.max(after, newestEvent(database)) };
  } catch (error) {
    log.error("Nothing could be kept of the old store", {}, error);
    return undefined;
  }
}

function* namespacesIn(database: DatabaseSync): Generator<string> {
  const first = database.prepare(
    "SELECT key FROM entries WHERE key >= ? ORDER BY key LIMIT 1",
  );
  for (let from = ""; ;) {
    const row = first.get(from) as Pick<Row, "key"> | undefined;
    if (!row) return;
    const [name = ""] = row.key.split(":");
    // Behind it come the keys that begin with the character after the colon.
    from = row.key.includes(":") ? `${name};` : `${row.key}\u0000`;
    yield name;
  }
}

function newestEvent(database: DatabaseSync): number {
  const newest = database
    .prepare(
      "SELECT key FROM entries WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT 1",
    )
    .get(EVENT_PREFIX, `${EVENT_PREFIX}:`) as Row | undefined;
  return eventNumberOf(newest?.key);
}
