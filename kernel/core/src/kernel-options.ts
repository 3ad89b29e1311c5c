import type { Clock, PluginDefinition } from "@gantry/plugin";
import type { OpenPorts } from "@gantry/http/open-ports";
import type { SyncFile } from "@gantry/store/log-flusher";
import type { LeaseTimes } from "@gantry/store/store-lease";
import type { LogSink } from "@gantry/system/log/log";
import type { ResolveName } from "@gantry/system/outbound/outbound-connect";
import type { Config } from "./config/config.ts";
import type { FaultHost } from "./contain-faults.ts";
import type { Rehearsal, RunRehearsal } from "./rehearsal.ts";

/** Options of `startKernel`. */
export interface KernelOptions {
  config: Config;
  clock: Clock;
  /** Receives the log lines. */
  sink: LogSink;
  version: string;
  /** Folder of the bundled plugins, `undefined` for none. */
  builtinPlugins: string | undefined;
  /** Plugins that are given as definitions, without code to load. */
  definitions?: readonly PluginDefinition[];
  /** Called before the first code of a plugin runs, to install error handlers. */
  beforePlugins?(host: FaultHost): void;
  /** Whether answers are validated with their schemas, as in tests. */
  checkAnswers?: boolean;
  /** Flushes files of the store. Tests skip this, since they need no data to survive a power failure. */
  sync?: SyncFile;
  /** Addresses of names that `connect` of plugins does not look up, for tests. */
  resolveName?: ResolveName;
  /** Interrupts the start when it aborts; everything that is open by then is closed again. */
  signal?: AbortSignal;
  /** Times of the lease on a store outside of the home. Tests have no second daemon and shorten them. */
  leaseTimes?: Partial<LeaseTimes>;
  /** Ports of a daemon that was handed over; opened as configured by default. Closed when the start fails. */
  ports?: OpenPorts;
  /** Reads the configuration again, after a replacement of the home that contained another one. */
  reloadConfig?(): Promise<Config>;
  /** Set in a daemon that starts on a copy of a home to test whether the plugins start. */
  rehearsal?: Rehearsal;
  /** Runs such a start for plugins. By default it runs in this process, with fewer restrictions. */
  rehearse?: RunRehearsal;
}
