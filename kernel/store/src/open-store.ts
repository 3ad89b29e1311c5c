import type { Log } from "@gantry/plugin";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import type { Home } from "@gantry/system/home/home";
import { openDriver } from "./drivers.ts";
import type { StorageSettings } from "./drivers.ts";
import { openEngine } from "./engine.ts";
import type { Engine } from "./engine.ts";
import { describeOwner } from "./lease-owner.ts";
import type { SyncFile } from "./log-flusher.ts";
import { acquireStoreLease } from "./store-lease.ts";
import type { LeaseTimes, StoreLease } from "./store-lease.ts";

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
  const { storage, home, log, sync, leaseTimes, signal } = options;
  const driver = await openDriver(storage, home, sync);
  const lease =
    storage === "sqlite"
      ? undefined
      : await acquireStoreLease({
          driver,
          owner: await describeOwner(home.folder),
          // Other daemons use real time, whatever clock this one has.
          clock: createSystemClock(),
          log,
          times: leaseTimes,
          signal,
        });
  try {
    return { engine: await openEngine(lease?.driver ?? driver), lease };
  } catch (error) {
    // A lease that is not released would be renewed as long as this process exists.
    await Promise.resolve(lease?.driver.dispose?.()).catch(() => {});
    throw error;
  }
}
