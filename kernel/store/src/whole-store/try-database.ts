import type { Clock } from "@gantry/plugin";
import { openEngine } from "../engine.ts";
import { createSqliteDriver } from "../sqlite-driver.ts";
import { createStoreCore } from "../store-core.ts";

/** Opens the store of a database and closes it again. @throws what keeps it from being opened */
export async function tryDatabase(file: string, clock: Clock): Promise<void> {
  const engine = await openEngine(createSqliteDriver(file));
  try {
    await createStoreCore(engine, clock);
  } finally {
    await engine.close();
  }
}
