import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Log, Store } from "@gantry/plugin";
import { createFakeClock } from "../../../testing/src/index.ts";
import { openEngine } from "@gantry/store/engine";
import { openQuarantine } from "@gantry/store/quarantine";
import { createScopedStore } from "@gantry/store/scoped-store";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";
import { createStoreCore } from "@gantry/store/store-core";
import { temporaryFolder } from "@gantry/build/testing";

/** A line that was logged. */
export interface LoggedLine {
  level: keyof Log;
  message: string;
}

/** A log that keeps what it is told. */
export function createRecordingLog(): Log & { lines: LoggedLine[] } {
  const lines: LoggedLine[] = [];
  const at = (level: keyof Log) => (message: string) =>
    void lines.push({ level, message });
  return {
    lines,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
}

const databaseIn = (folder: string) => join(folder, "store.sqlite");

/** Damages values behind the store's back: only their first letters are left. */
export function cutShort(folder: string, ...keys: string[]): void {
  const database = new DatabaseSync(databaseIn(folder));
  const cut = database.prepare(
    "UPDATE entries SET value = substr(value, 1, 5) WHERE key = ?",
  );
  for (const key of keys) cut.run(key);
  database.close();
}

/** A store without a daemon round it. */
export async function openTestStore(folder?: string) {
  const place = folder ?? (await temporaryFolder());
  const clock = createFakeClock();
  const engine = await openEngine(createSqliteDriver(databaseIn(place)));
  const core = await createStoreCore(engine, clock);
  const log = createRecordingLog();
  const quarantine = await openQuarantine({ core, clock, log });
  return {
    folder: place,
    clock,
    engine,
    core,
    quarantine,
    log,
    storeOf: (owner: string): Store =>
      createScopedStore(owner, { core, quarantine, clock, log }),
  };
}
