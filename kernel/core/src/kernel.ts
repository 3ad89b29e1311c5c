import { controlPath, serveControl } from "@gantry/system/home/control";
import { toHomeError } from "@gantry/system/home/home";
import { scheduleJob } from "@gantry/system/schedule/cron";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import { createStopDeadline } from "@gantry/system/shutdown/shutdown";
import type { OpenPorts } from "@gantry/http/open-ports";
import { createContextHost } from "./context-host.ts";
import { createControlCommands, mintCode } from "./control-commands.ts";
import { openFoundation } from "./foundation.ts";
import { openHttp } from "./http-side.ts";
import type { KernelOptions } from "./kernel-options.ts";
import { createKernelShutdown } from "./kernel-shutdown.ts";
import type { KernelParts } from "./kernel-shutdown.ts";
import { openCrashGuard } from "./plugins/crash-guard.ts";
import { createPluginData } from "./plugins/plugin-data.ts";
import { createPluginHost } from "./plugins/plugin-host.ts";
import { createSystemPlugins } from "./plugins/system-plugins.ts";
import { openRunningHome } from "./running-home.ts";
import { startPlugins } from "./start-plugins.ts";
import type { RunningParts } from "./start-plugins.ts";

/** A running daemon. */
export type Kernel = Awaited<ReturnType<typeof serve>>;

/** A daemon that has run for so long has started well. */
const SETTLED_MS = 60_000;

/**
 * Starts a daemon: home, store, HTTP, plugins, in this order.
 *
 * @throws LockedError, HomeError, ConfigError or UserError; what was opened before is closed again
 */
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  const foundation = await openFoundation(options).catch((error: unknown) => {
    throw toHomeError(error, options.config.home);
  });
  const shutdown = createKernelShutdown(foundation, options.signal);
  try {
    return await serve({ options, foundation, shutdown });
  } catch (error) {
    await shutdown.stop();
    throw toHomeError(error, foundation.home.folder);
  }
}

/**
 * Stops a daemon whose home is to be replaced and starts it again, which replaces the home. The ports stay open meanwhile and
 * hold requests back, so settings of what they listen on stay as they are.
 *
 * @throws as {@link startKernel}; the ports are then closed
 */
export async function restartKernel(
  { config, handOver }: Kernel,
  options: Omit<KernelOptions, "config" | "ports">,
): Promise<Kernel> {
  const { host, port, portIsGiven, https, insecure } = config;
  const { reloadConfig } = options;
  const ports = await handOver(createStopDeadline());
  try {
    options.signal?.throwIfAborted();
    return await startKernel({
      ...options,
      config,
      ports,
      reloadConfig:
        reloadConfig &&
        (async () => ({
          ...(await reloadConfig()),
          ...{ host, port, portIsGiven, https, insecure },
        })),
    });
  } catch (error) {
    await ports.close();
    throw error;
  }
}

/** Opens the ports and starts the plugins. The steps that undo it are added on the way. */
async function serve(parts: KernelParts) {
  const { foundation, shutdown } = parts;
  const { bus, config, emit, home, redact } = foundation;
  const { signal, children } = shutdown;
  const { ports, http } = await openHttp(parts, (path) =>
    plugins.unavailableAt(path),
  );
  const guard = openCrashGuard(home.starting);
  const running: RunningParts = {
    ...{ ...parts, ports, http, guard },
    data: createPluginData(foundation),
    get plugins() {
      return plugins;
    },
  };
  const runningHome = openRunningHome(running);
  shutdown.add(() => runningHome.settled(), { isUnlimited: true });
  const context = createContextHost(running, runningHome.wholeHome);
  const plugins = createPluginHost({
    ...{ guard, emit, redact, signal, context },
    settings: config.settings,
  });
  const system = createSystemPlugins(context);
  shutdown.add(() => system.stop(shutdown.deadline()), { isUnlimited: true });
  shutdown.add(() => http.connections.drain());
  shutdown.add(() => http.sockets.close());
  shutdown.add(() => plugins.stopAll(shutdown.deadline()), {
    isUnlimited: true,
  });
  shutdown.add(() => bus.advance());
  // Clients are notified of the stop before anything that may take long.
  shutdown.add(() => http.connections.endAll());
  await startPlugins(running, system);
  if (!parts.options.rehearsal) await serveCommands(running);
  watchRun(running);
  return {
    /** What it runs with. */
    config,
    ...{ foundation, http, plugins },
    /** Address of the UI. */
    url: http.policy.canonicalOrigin,
    port: ports.port,
    addresses: ports.addresses,
    /** Makes a pairing code, with its link. */
    pair: () => mintCode(running),
    /**
     * Stops cleanly: streams get `bye`, sockets 1001, plugins and children end, the store closes.
     *
     * @param deadline By when plugins must be over; what hangs is not waited for any longer. No deadline unless given.
     */
    stop: shutdown.stop,
    /** Resolves when the home is to be replaced: the code that runs the daemon then starts it again, see `restartKernel`. */
    replaced: runningHome.restartRequested,
    /** Stops as {@link stop}, but leaves the ports open, where requests are held back, and gives them. */
    async handOver(by?: Deadline): Promise<OpenPorts> {
      shutdown.isHandedOver = true;
      await shutdown.stop(by);
      return ports;
    },
    /** KILL to all child processes, for a process that has to end now. Resolves when they have ended. */
    killChildren: children.killAll,
  };
}

/** Lets the owner's commands reach this daemon. */
async function serveCommands(running: RunningParts): Promise<void> {
  const { foundation, shutdown, http } = running;
  const { home, lock } = foundation;
  const control = controlPath(home.folder);
  const server = await serveControl(control, createControlCommands(running));
  shutdown.add(() => server.close());
  await lock.announce({ url: http.policy.canonicalOrigin, control });
}

/** Prunes what is old each hour, and tells the guard when the start went well. */
function watchRun({
  foundation,
  shutdown,
  ports,
  http,
  guard,
}: RunningParts): void {
  const { clock, eventLog, idempotency, logOf } = foundation;
  const cancelSettled = clock.after(SETTLED_MS, () => guard.settled());
  const sweep = scheduleJob(
    {
      plugin: "kernel",
      line: "17 * * * *",
      timezone: "UTC",
      async job() {
        http.connections.endStale();
        await Promise.all([eventLog.prune(), idempotency.prune()]);
      },
    },
    { clock, log: logOf("kernel") },
  );
  shutdown.add(() => {
    cancelSettled();
    sweep();
    guard.settled();
    if (shutdown.isHandedOver) ports.hold();
    else ports.stopAccepting();
  });
}
