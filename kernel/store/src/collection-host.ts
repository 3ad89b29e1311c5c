import type { Clock, KeyedLock, Log } from "@gantry/plugin";
import type { Quarantine } from "./quarantine.ts";
import type { StoreCore } from "./store-core.ts";

/** Dependencies of a plugin's store. */
export interface StoreHost {
  core: StoreCore;
  quarantine: Quarantine;
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops. */
  signal?: AbortSignal;
  /** Follows the upkeep of a collection, which may take long and is no fault of the plugin's. */
  onUpkeep?(upkeep: Promise<unknown>): void;
}

/** Dependencies of a collection. */
export interface CollectionHost extends Omit<StoreHost, "onUpkeep"> {
  /** Keeps changes of one record apart, whichever of several equal collections makes them. */
  lock: KeyedLock;
  /** Writes once no upkeep of the plugin's collections is under way. */
  commit: StoreCore["commit"];
  /** Holds all writes of the plugin back until the upkeep is over. */
  holdWrites(upkeep: Promise<unknown>): void;
}
