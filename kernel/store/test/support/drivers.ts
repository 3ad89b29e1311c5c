import { join } from "node:path";
import type { Driver } from "unstorage";
import fsLite from "unstorage/drivers/fs-lite";
import memory from "unstorage/drivers/memory";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";

/** Makes drivers on one place again and again, as restarts of a daemon do. */
export interface DriverKind {
  name: string;
  /** Opens what lies in a folder. */
  open(folder: string): Driver;
}

/** The driver of our own, and one for each way in which another can differ. */
export const driverKinds: readonly DriverKind[] = [
  {
    name: "sqlite",
    open: (folder) => createSqliteDriver(join(folder, "store.sqlite")),
  },
  { name: "memory", open: memoryIn() },
  {
    name: "fs-lite",
    open: (folder) => fsLite({ base: join(folder, "store") }),
  },
];

/** unstorage's memory forgets at each opening; ours is as old as its folder. */
function memoryIn(): DriverKind["open"] {
  const opened = new Map<string, Driver>();
  return (folder) => {
    const driver = opened.get(folder) ?? memory();
    opened.set(folder, driver);
    return { ...driver, dispose: () => {} };
  };
}
