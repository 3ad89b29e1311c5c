import type { Clock, EventRecord, Log } from "@gantry/plugin";
import type { StoreCore } from "../store-core.ts";
import type { EventLog } from "./event-log.ts";

/** A listener with its types forgotten; the token that it was registered with says what it takes. */
export type Listener = (event: EventRecord<never>) => void | Promise<void>;

/** Dependencies of listeners. */
export interface EventBusHost {
  core: StoreCore;
  log: EventLog;
  clock: Clock;
  /** The log of lines, by plugin. */
  logOf(plugin: string): Log;
}
