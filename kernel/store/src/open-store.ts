import type { Log } from "@gantry/plugin";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import type { Home } from "@gantry/system/home/home";
import { openEngine } from "./engine.ts";
import type { Engine } from "./engine.ts";
import type { SyncFile } from "./log-flusher.ts";
import { createSqliteDriver } from "./sqlite-driver.ts";
import { openDriver } from "./unstorage/drivers.ts";
import type { DriverSettings } from "./unstorage/drivers.ts";
import { describeOwner } from "./unstorage/lease-owner.ts";
import { acquireStoreLease } from "./unstorage/store-lease.ts";
import type { LeaseTimes, StoreLease } from "./unstorage/store-lease.ts";

/** Where records are stored: in the home, or with any unstorage driver. */
export type StorageSettings = "sqlite" | DriverSettings;

/** Which store is opened, and how. */
export interface OpenStoreOptions {
  storage: StorageSettings;
  /** The home, whose lock is held. */
  home: Home;
  log: Log;
  /** How files of the store are flushed. */
  sync?: SyncFile;
  /** Times of the lease on a store outside of the home. */
  leaseTimes?: Partial<LeaseTimes>;
  /** Gives up waiting for the store of another daemon. */
  signal?: AbortSignal;
}

/** An open store. Closing it gives back the lease. */
export interface OpenStore {
  engine: Engine;
  /** Of a store outside of the home, which the lock of the home does not protect. */
  lease: StoreLease | undefined;
}

/** Opens the store of a home. @throws what keeps it from being opened; nothing is held then */
export async function openStore(options: OpenStoreOptions): Promise<OpenStore> {
  const { storage, home, log, sync, leaseTimes: times, signal } = options;
  if (storage === "sqlite") {
    const engine = createSqliteDriver(home.database, sync);
    return { engine, lease: undefined };
  }
  const driver = await openDriver(storage);
  const owner = await describeOwner(home.folder);
  // Other daemons use real time, whatever clock this one has.
  const clock = createSystemClock();
  const host = { driver, owner, clock, log, times, signal };
  const lease = await acquireStoreLease(host);
  try {
    return { engine: await openEngine(lease.driver), lease };
  } catch (error) {
    // A lease that is not released would be renewed as long as this process exists.
    await Promise.resolve(lease.driver.dispose?.()).catch(() => {});
    throw error;
  }
}
