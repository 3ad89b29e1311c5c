import type { PluginDefinition, RehearsedPlugin } from "@gantry/plugin";
import { createDeadline } from "@gantry/system/clock/deadline";
import { createStillClock } from "@gantry/system/clock/still-clock";
import { createClosedPorts } from "@gantry/http/closed-ports";
import type { KernelOptions } from "../kernel-options.ts";
import type { Kernel } from "../running-kernel.ts";
import { prepareCopy } from "./prepare-copy.ts";
import type { RehearsalOrder } from "../rehearsal.ts";

/** Time in which plugins have to stop again. */
const STOP_MS = 5_000;

/** Options of {@link rehearseHome}. */
export interface RehearsalOptions extends RehearsalOrder {
  /** Folder of the copy, which no other process uses: a home, or a stage that could replace one. */
  home: string;
  version: string;
  definitions?: readonly PluginDefinition[];
  beforePlugins?: KernelOptions["beforePlugins"];
  signal: AbortSignal;
}

/**
 * Starts a daemon on a copy of a home, in this process, stops it again, and resolves with the state of each plugin. Its
 * clock stands still; it has no ports, runs no programs and makes no requests, so no job that is due in the copy runs.
 *
 * @param start Starts a kernel.
 * @throws the error that keeps a daemon from starting; the signal's reason
 */
export async function rehearseHome(
  start: (options: KernelOptions) => Promise<Kernel>,
  options: RehearsalOptions,
): Promise<{ plugins: RehearsedPlugin[] }> {
  const { home, version, builtinPlugins, pluginsFolder, signal } = options;
  signal.throwIfAborted();
  await prepareCopy(home, signal);
  const kernel = await start({
    config: {
      ...options.config,
      home,
      // A copy has its store inside, wherever the store of the daemon is.
      storage: "sqlite",
      https: false,
      open: false,
      log: "silent",
    },
    clock: createStillClock(Date.now()),
    sink: () => {},
    version,
    builtinPlugins,
    definitions: options.definitions,
    beforePlugins: options.beforePlugins,
    ports: createClosedPorts(),
    // The copy is not used again, so it need not survive a power failure.
    sync: () => Promise.resolve(),
    rehearsal: { pluginsFolder },
    signal,
  });
  try {
    return {
      plugins: kernel.plugins
        .list()
        .map(({ id, state, reason }) => ({ id, state, reason })),
    };
  } finally {
    await kernel.stop(createDeadline(STOP_MS));
  }
}
