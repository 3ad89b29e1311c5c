import type { Clock, Log } from "@gantry/plugin";
import { openDriver } from "./drivers.ts";
import type { DriverSettings } from "./drivers.ts";
import { describeOwner } from "./lease-owner.ts";
import { createPlainDriver } from "./plain-driver.ts";
import { acquireStoreLease } from "./store-lease.ts";
import type { LeaseTimes } from "./store-lease.ts";

export type { DriverSettings } from "./drivers.ts";
export { createPlainDriver } from "./plain-driver.ts";
export type { LeaseTimes } from "./store-lease.ts";

/** Who opens a store, and how. */
export interface UnstorageHost {
  /** Folder of the home, whose lock is held. */
  home: string;
  /** Id of this boot of the machine, `undefined` where the system has none. */
  bootId: string | undefined;
  /** In real time, which other daemons use too. */
  clock: Clock;
  log: Log;
  times?: Partial<LeaseTimes>;
  /** Gives up waiting for the store of another daemon. */
  signal?: AbortSignal;
}

/**
 * Opens a store on any driver of unstorage, and takes its lease. Closing it gives the lease back.
 *
 * @returns the driver, and what resolves when another daemon has taken the store over: nothing is written from then on
 * @throws what keeps it from being opened, and nothing is held then; with `exitCode` if the user can fix it: a module that is
 *   not there, another daemon that holds the store
 */
export async function openUnstorage(
  settings: DriverSettings,
  { home, bootId, ...host }: UnstorageHost,
) {
  const driver = await openDriver(settings);
  const owner = await describeOwner(home, bootId);
  const lease = await acquireStoreLease({ ...host, driver, owner });
  try {
    return { driver: await createPlainDriver(lease.driver), lost: lease.lost };
  } catch (error) {
    // A lease that is not released would be renewed as long as this process exists.
    await Promise.resolve(lease.driver.dispose?.()).catch(() => {});
    throw error;
  }
}
