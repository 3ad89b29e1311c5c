import type { PluginDefinition, RehearsedPlugin } from "@gantry/plugin";
import { createStillClock } from "@gantry/system/clock/still-clock";
import { createClosedPorts } from "@gantry/http/open-ports";
import type { KernelOptions } from "../kernel-options.ts";
import type { PluginHost } from "../plugins/plugin-host.ts";
import { createDeadline } from "@gantry/system/shutdown/deadline";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import { prepareCopy } from "./prepare-copy.ts";
import type { RehearsalOrder } from "./rehearsal.ts";

/** Time that plugins get to stop again. */
const STOP_MS = 5_000;

/** The part of a started kernel that a rehearsal uses. */
interface StartedKernel {
  readonly plugins: Pick<PluginHost, "list">;
  stop(deadline: Deadline): Promise<void>;
}

/** Starts a kernel in this process. */
export type StartKernel = (options: KernelOptions) => Promise<StartedKernel>;

/** What is tried. */
export interface RehearsalOptions extends RehearsalOrder {
  /** Folder of the copy, which nothing else uses: a home, or a stage that could take the place of one. */
  home: string;
  version: string;
  definitions?: readonly PluginDefinition[];
  beforePlugins?: KernelOptions["beforePlugins"];
  signal: AbortSignal;
}

/**
 * Starts a daemon on a copy of a home, in this process, stops it again, and gives how each plugin did. Its clock stands
 * still; it has no ports, runs no programs and sends no requests, so that nothing that is due in the copy happens.
 *
 * @param start Starts a kernel.
 * @throws what keeps a daemon from starting; the signal's reason
 */
export async function rehearseHome(
  start: StartKernel,
  options: RehearsalOptions,
): Promise<{ plugins: RehearsedPlugin[] }> {
  const { home, version, builtinPlugins, pluginsFolder, signal } = options;
  signal.throwIfAborted();
  await prepareCopy(home, signal);
  const kernel = await start({
    config: {
      ...options.config,
      home,
      // Wherever the store of the daemon is, that of a copy lies in it.
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
    // A copy that is not used again need not survive a power failure.
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
