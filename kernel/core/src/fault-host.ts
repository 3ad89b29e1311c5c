import type { Clock, Log } from "@gantry/plugin";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import type { CrashGuard } from "./plugins/crash-guard.ts";

/** What handles the uncaught faults of the process, which may be those of a plugin, needs of the daemon. */
export interface FaultHost {
  log: Log;
  clock: Clock;
  guard: CrashGuard;
  /** Folders of the plugins, by id. */
  pluginFolders(): ReadonlyMap<string, string>;
  /** Counts a fault for those who look at the plugin, and gives how many it had since the daemon started. */
  countFault(plugin: string): number;
  /** Stops one plugin and leaves it `failed`. */
  stopPlugin(plugin: string, reason: string): Promise<void>;
  /** Stops the daemon cleanly, its plugins by a deadline. */
  stop(deadline: Deadline): Promise<void>;
}
