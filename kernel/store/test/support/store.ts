import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Store } from "@gantry/plugin";
import { createFakeClock } from "../../../testing/src/fake-clock.ts";
import { openEngine } from "../../src/engine.ts";
import { openQuarantine } from "../../src/quarantine.ts";
import { createScopedStore } from "../../src/scoped-store.ts";
import { createSqliteDriver } from "../../src/sqlite-driver.ts";
import { createStoreCore } from "../../src/store-core.ts";
import { createRecordingLog } from "@gantry/test-support/recording-log";
import { temporaryFolder } from "@gantry/test-support/temporary";

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
