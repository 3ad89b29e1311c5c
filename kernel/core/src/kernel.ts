import { controlPath, serveControl } from "@gantry/system/home/control";
import type { ControlCommands } from "@gantry/system/home/control";
import { toHomeError } from "@gantry/system/home/home";
import { scheduleJob } from "@gantry/system/schedule/cron";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import { openPorts } from "@gantry/http/open-ports";
import type { OpenPorts } from "@gantry/http/open-ports";
import { createPeers } from "@gantry/http/peer-address";
import type { NewCode } from "./auth/pairing.ts";
import type { Config } from "./config/config.ts";
import { createContextHost } from "./context-host.ts";
import { createControlCommands, mintCode } from "./control-commands.ts";
import type { Foundation } from "./foundation.ts";
import { createHttpSide } from "./http-side.ts";
import type { HttpSide } from "./http-side.ts";
import type { KernelOptions } from "./kernel-options.ts";
import { createKernelShutdown } from "./kernel-shutdown.ts";
import type { KernelShutdown } from "./kernel-shutdown.ts";
import { openConfigured } from "./open-configured.ts";
import { openCrashGuard } from "./plugins/crash-guard.ts";
import type { CrashGuard } from "./plugins/crash-guard.ts";
import { createPluginHost } from "./plugins/plugin-host.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import { createSystemPlugins } from "./plugins/system-plugins.ts";
import { createRehearse } from "./rehearsal/create-rehearse.ts";
import { openRunningHome } from "./running-home.ts";
import { startPlugins } from "./start-plugins.ts";
import type { RunningParts } from "./start-plugins.ts";
import { addSystemRoutes } from "./system-routes.ts";

/** A running daemon. */
export interface Kernel {
  /** What it runs with. */
  readonly config: Config;
  /** Address of the UI. */
  readonly url: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly foundation: Foundation;
  readonly http: HttpSide;
  readonly plugins: PluginHost;
  readonly guard: CrashGuard;
  /** Makes a pairing code, with its link. */
  pair(): NewCode & { url: string };
  /**
   * Stops cleanly: streams get `bye`, sockets 1001, plugins and children end, the store closes.
   *
   * @param deadline By when plugins must be over; what hangs is not waited for any longer. No deadline unless given.
   */
  stop(deadline?: Deadline): Promise<void>;
  /** Resolves when the home is to be replaced: the code that runs the daemon then starts it again, see `restartKernel`. */
  readonly replaced: Promise<void>;
  /** Stops as {@link stop}, but leaves the ports open, where requests are held back, and gives them. */
  handOver(deadline?: Deadline): Promise<OpenPorts>;
  /** KILL to all child processes, for a process that has to end now. Resolves when they have ended. */
  killChildren(): Promise<void>;
}

/** A daemon that has run for so long has started well. */
const SETTLED_MS = 60_000;

/**
 * Starts a daemon: home, store, HTTP, plugins, in this order.
 *
 * @throws LockedError, HomeError, ConfigError or UserError; what was opened before is closed again
 */
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  const { foundation, config } = await openConfigured(options).catch(
    (error: unknown) => {
      throw toHomeError(error, options.config.home);
    },
  );
  const shutdown = createKernelShutdown(foundation, options.signal);
  try {
    return await serve({ options, config, foundation, shutdown });
  } catch (error) {
    await shutdown.stop();
    throw toHomeError(error, foundation.home.folder);
  }
}

/** What a daemon is started from. */
interface KernelParts {
  options: KernelOptions;
  config: Config;
  foundation: Foundation;
  shutdown: KernelShutdown;
}

/** Opens the ports and starts the plugins. The steps that undo it are added on the way. */
async function serve(parts: KernelParts): Promise<Kernel> {
  const { options, config, foundation, shutdown } = parts;
  const { home, bus, emit, logOf } = foundation;
  const { steps, signal, children } = shutdown;
  const { ports, http } = await openHttp(parts, (path) =>
    plugins.unavailableAt(path),
  );
  const guard = openCrashGuard(home.starting);
  const runningHome = openRunningHome({
    foundation,
    config,
    version: options.version,
    signal,
    plugins: () => plugins,
    // A request that comes after that finds the new state.
    beforeRestart: () => ports.hold(),
    rehearse: createRehearse(startKernel, options, home, signal),
  });
  steps.add(() => runningHome.settled(), { isUnlimited: true });
  const context = createContextHost({
    ...{ options, config, foundation, http, ports, children },
    wholeHome: runningHome.wholeHome,
    plugins: () => plugins.list(),
  });
  const plugins = createPluginHost({
    ...{ guard, emit, signal, context },
    log: logOf("kernel"),
    settings: config.settings,
    redact: foundation.redact,
  });
  const system = createSystemPlugins(context);
  steps.add(() => system.stop(shutdown.deadline()), { isUnlimited: true });
  steps.add(() => http.connections.drain());
  steps.add(() => http.sockets.close());
  steps.add(() => plugins.stopAll(shutdown.deadline()), { isUnlimited: true });
  steps.add(() => bus.advance());
  // Clients are notified of the stop before anything that may take long.
  steps.add(() => http.connections.endAll());
  const running = { ...parts, ports, http, guard };
  const data = await startPlugins(running, plugins, system);
  const pair = () => mintCode(running);
  const commands = createControlCommands(running, plugins, data);
  if (!options.rehearsal) await serveCommands(running, commands);
  watchRun(running);
  return {
    ...{ config, foundation, http, plugins, guard, pair },
    url: http.policy.canonicalOrigin,
    port: ports.port,
    addresses: ports.addresses,
    stop: shutdown.stop,
    replaced: runningHome.restartRequested,
    async handOver(by) {
      shutdown.isHandedOver = true;
      await shutdown.stop(by);
      return ports;
    },
    killChildren: children.killAll,
  };
}

/** Opens the ports, which hold requests back until there is something to answer them, and makes the HTTP side. */
async function openHttp(
  { options, config, foundation, shutdown }: KernelParts,
  unavailableAt: (path: string) => Error | undefined,
): Promise<{ ports: OpenPorts; http: HttpSide }> {
  const { clock, home, logOf } = foundation;
  const { version, inspect } = options;
  const peers = createPeers(config.trustedProxies);
  const ports =
    options.ports ??
    (await openPorts(config, home, peers.isProxy, logOf("kernel")));
  shutdown.steps.add(() => (shutdown.isHandedOver ? undefined : ports.close()));
  const { publicUrl, hosts, hookHosts } = config;
  const http = await createHttpSide(foundation, {
    ...{ publicUrl, hosts, hookHosts, peers, inspect, unavailableAt },
    port: ports.port,
    address: ports.addresses[0] ?? config.host,
    secure: ports.certificate !== undefined,
  });
  const { app, owner, policy } = http;
  addSystemRoutes(app, owner, { version, home: home.folder, policy, clock });
  return { ports, http };
}

/** Lets the owner's commands reach this daemon. */
async function serveCommands(
  { foundation: { home, lock }, shutdown, http }: RunningParts,
  commands: ControlCommands,
): Promise<void> {
  const control = controlPath(home.folder);
  const server = await serveControl(control, commands);
  shutdown.steps.add(() => server.close());
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
  shutdown.steps.add(() => {
    cancelSettled();
    sweep();
    guard.settled();
    if (shutdown.isHandedOver) ports.hold();
    else ports.stopAccepting();
  });
}
