import { join } from "node:path";
import type { Driver } from "unstorage";
import fsLite from "unstorage/drivers/fs-lite";
import memory from "unstorage/drivers/memory";
import { createPlainDriver } from "@gantry/storage-unstorage";
import { openEngine } from "@gantry/store/engine";
import type { Engine } from "@gantry/store/engine";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";

/** Opens a store on one place again and again, as restarts of a daemon do. */
export interface DriverKind {
  name: string;
  /** Opens what lies in a folder. */
  open(folder: string): Promise<Engine>;
}

const openPlain = async (driver: Driver) =>
  openEngine(await createPlainDriver(driver));

/** The driver of our own, and one for each way in which another can differ. */
export const driverKinds: readonly DriverKind[] = [
  {
    name: "sqlite",
    open: async (folder) =>
      openEngine(createSqliteDriver(join(folder, "store.sqlite"))),
  },
  { name: "memory", open: memoryIn() },
  {
    name: "fs-lite",
    open: (folder) => openPlain(fsLite({ base: join(folder, "store") })),
  },
];

/** unstorage's memory forgets at each opening; ours is as old as its folder. */
function memoryIn(): DriverKind["open"] {
  const opened = new Map<string, Driver>();
  return (folder) => {
    const driver = opened.get(folder) ?? memory();
    opened.set(folder, driver);
    return openPlain({ ...driver, dispose: () => {} });
  };
}
