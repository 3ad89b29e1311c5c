import type { Log } from "@gantry/plugin";
import type { DriverSettings, LeaseTimes } from "@gantry/storage-unstorage";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import type { Home } from "@gantry/system/home/home";
import { bootId } from "@gantry/system/processes/identity";
import type { UserError } from "@gantry/system/user-error";
import { openEngine } from "./engine.ts";
import type { Engine } from "./engine.ts";
import type { SyncFile } from "./log-flusher.ts";
import { createSqliteDriver } from "./sqlite-driver.ts";

export type { LeaseTimes } from "@gantry/storage-unstorage";

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

/** An open store. */
export interface OpenStore {
  engine: Engine;
  /** Resolves when another daemon has taken it over, which only a store outside of the home can be. */
  lost?: Promise<UserError>;
}

/** Opens the store of a home. @throws what keeps it from being opened; nothing is held then */
export async function openStore(options: OpenStoreOptions): Promise<OpenStore> {
  const { storage, home, log, sync, leaseTimes: times, signal } = options;
  if (storage === "sqlite")
    return { engine: openEngine(createSqliteDriver(home.database, sync)) };
  const { openUnstorage } = await import("@gantry/storage-unstorage");
  const { driver, lost } = await openUnstorage(storage, {
    home: home.folder,
    bootId: await bootId(),
    // Other daemons use real time, whatever clock this one has.
    clock: createSystemClock(),
    ...{ log, times, signal },
  });
  return { engine: openEngine(driver), lost };
}
