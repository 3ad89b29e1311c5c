import type { Clock, Log, PluginDefinition } from "@gantry/plugin";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import type { Config } from "./config/config.ts";
import type { CrashGuard } from "./plugins/crash-guard.ts";
import type { Inspect } from "@gantry/http/inspect";
import type { OpenPorts } from "@gantry/http/open-ports";
import type { LogSink } from "@gantry/system/log/log";
import type { ResolveName } from "@gantry/system/outbound/address-guard";
import type { Rehearsal, RunRehearsal } from "./rehearsal/rehearsal.ts";
import type { SyncFile } from "@gantry/store/log-flusher";
import type { LeaseTimes } from "@gantry/store/open-store";

/** What a kernel is made of. */
export interface KernelOptions {
  config: Config;
  clock: Clock;
  /** Where log lines go. */
  sink: LogSink;
  version: string;
  /** Folder of the plugins that are delivered with the daemon, `undefined` for none. */
  builtinPlugins: string | undefined;
  /** Plugins whose code is loaded already. */
  definitions?: readonly PluginDefinition[];
  /** The same of those that are a part of the daemon itself. */
  systemDefinitions?: readonly PluginDefinition[];
  /** Called before the first code of a plugin runs, to be ready for its faults. */
  beforePlugins?(host: FaultHost): void;
  /** What plugins must find done. Pages are answered before. */
  ready?: Promise<void>;
  /** Addresses of names that `connect` of plugins does not look up, for tests. */
  resolveName?: ResolveName;
  /** Looks at how operations end, before they are answered, as tests do. */
  inspect?: Inspect;
  /** How files of the store are flushed. Tests, in which no machine stops, wait for no disk. */
  sync?: SyncFile;
  /** Interrupts the start when it aborts: what is open by then is closed again. */
  signal?: AbortSignal;
  /** Times of the lease on a store outside of the home. Tests, which have no rival, need not wait for one. */
  leaseTimes?: Partial<LeaseTimes>;
  /** Ports of a daemon that was handed over; opened as configured unless given. Closed when the start fails. */
  ports?: OpenPorts;
  /** Reads the configuration again, for a home whose replacement brought another one. */
  reloadConfig?(): Promise<Config>;
  /** Set in a daemon that only starts on a copy of a home, to see how the plugins do. */
  rehearsal?: Rehearsal;
  /** How such a start is made for plugins. */
  rehearse: RunRehearsal;
}

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
