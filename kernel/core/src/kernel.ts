import { randomBytes } from "node:crypto";
import { drain } from "@gantry/http/drain";
import { toLocalUrl } from "@gantry/http/local-url";
import { openPorts } from "@gantry/http/open-ports";
import type { OpenPorts } from "@gantry/http/open-ports";
import { createPeers } from "@gantry/http/peer-address";
import { watchStalls } from "@gantry/system/clock/stall-watch";
import { controlPath, serveControl } from "@gantry/system/home/control";
import { createChildren } from "@gantry/system/processes/children";
import type { Children } from "@gantry/system/processes/children";
import { recordPlugins } from "./audit/record-plugins.ts";
import { rotateToken } from "./auth/access-routes.ts";
import { pairingUrl } from "./auth/pairing-routes.ts";
import { createContextHost } from "./context-host.ts";
import { createControlCommands } from "./control-commands.ts";
import { isEarlyPath } from "./early-path.ts";
import type { Foundation } from "./foundation.ts";
import { createKernelFacts } from "./facts/kernel-facts.ts";
import { createHttpSide } from "./http-side.ts";
import type { HttpSide } from "./http-side.ts";
import type { KernelOptions } from "./kernel-options.ts";
import { addKernelRoutes } from "./kernel-routes.ts";
import { provideKernelServices } from "./kernel-services.ts";
import { openConfigured } from "./open-configured.ts";
import { openCrashGuard } from "./plugins/crash-guard.ts";
import type { CrashGuard } from "./plugins/crash-guard.ts";
import { loadPlugins } from "./plugins/load-plugins.ts";
import { createPluginChecks } from "./plugins/plugin-checks.ts";
import type { PluginChecks } from "./plugins/plugin-checks.ts";
import { createPluginData } from "./plugins/plugin-data.ts";
import { createPluginHost } from "./plugins/plugin-host.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import { createRehearse } from "./rehearsal/create-rehearse.ts";
import type { Kernel } from "./running-kernel.ts";
import { createStopping } from "@gantry/system/shutdown/stopping";
import type { Stopping } from "@gantry/system/shutdown/stopping";
import { startUpkeep } from "./upkeep.ts";
import { openRunningHome } from "./whole-home/running-home.ts";
import type { RunningHome } from "./whole-home/running-home.ts";

/** Name of the control socket's caller in the audit log. */
const COMMAND_LINE = "command line";

/** The parts of a daemon while it starts. */
interface Parts {
  options: KernelOptions;
  foundation: Foundation;
  stopping: Stopping;
  children: Children;
  ports: OpenPorts;
  http: HttpSide;
  guard: CrashGuard;
  checks: PluginChecks;
  runningHome: RunningHome;
  plugins: PluginHost;
  startedAt: string;
  bootId: string;
}

/**
 * Starts a daemon: home, store, HTTP, plugins, in this order. Pages are served once the essential plugins have started,
 * operations of the others once all have.
 *
 * @throws LockedError, HomeError, ConfigError or UserError; what was opened before is closed again
 */
export async function startKernel(given: KernelOptions): Promise<Kernel> {
  const { foundation, config } = await openConfigured(given);
  const options = { ...given, config };
  const { audit, clock, logOf } = foundation;
  const log = logOf("kernel");
  const stalls = watchStalls({ log, timestamp: () => clock.timestamp() });
  const children = createChildren();
  const stopping = createStopping(log, given.signal);
  stopping.add(() => foundation.close(), { isUnlimited: true });
  stopping.add(() => void audit.record("daemon.stopped"));
  stopping.add(() => stalls.stop());
  // Children that plugins left running must not outlive the store.
  stopping.add(() => children.killAll());

  try {
    const parts = await assemble(options, foundation, stopping, children);
    const { ports, http, plugins, guard, runningHome } = parts;
    const { version } = options;
    const { checks, startedAt, bootId } = parts;
    addKernelRoutes({ version, foundation, http, plugins });
    const facts = createKernelFacts({
      ...{ version, startedAt, config, foundation, http, ports },
      ...{ plugins, stalls, checks },
    });
    provideKernelServices(plugins, facts, foundation);
    addStopSteps(parts);
    announcePlugins(parts);
    await loadPlugins(plugins, {
      ...options,
      folder: options.rehearsal?.pluginsFolder ?? foundation.home.plugins,
      isReadOnly: options.rehearsal !== undefined,
      onEssential: () => ports.serveEarly(http.handlers, isEarlyPath),
    });
    const data = await claimData(parts);
    ports.serve(http.handlers);
    recordStart(parts);

    const pair = () => {
      const code = http.pairing.create(undefined);
      void audit.record("pairing.minted", { code: code.id, by: COMMAND_LINE });
      return { ...code, url: pairingUrl(http.policy, code) };
    };
    if (!options.rehearsal) await openControl(parts, { data, facts, pair });
    const endUpkeep = startUpkeep(foundation, http.connections, guard);
    stopping.add(() => {
      endUpkeep();
      if (stopping.isHandingOver) ports.hold();
      else ports.stopAccepting();
    });

    return {
      ...{ config, bootId, foundation, http, plugins, guard, pair },
      url: http.policy.canonicalOrigin,
      port: ports.port,
      addresses: ports.addresses,
      stop: stopping.stop,
      replaced: runningHome.restartRequested,
      async handOver(by) {
        await stopping.handOver(by);
        return ports;
      },
      killChildren: children.killAll,
    };
  } catch (error) {
    await stopping.stop();
    throw error;
  }
}

/** Opens the ports and creates all parts, without running code of plugins. */
async function assemble(
  options: KernelOptions,
  foundation: Foundation,
  stopping: Stopping,
  children: Children,
): Promise<Parts> {
  const { clock, config, rehearsal } = options;
  const { emit, home, logOf, redact } = foundation;
  const { signal } = stopping;
  const peers = createPeers(config.trustedProxies);
  const ports = options.ports ?? (await openPorts(config, home, peers.isProxy));
  stopping.add(() => (stopping.isHandingOver ? undefined : ports.close()));
  const http = await createHttpSide(foundation, {
    port: ports.port,
    address: ports.addresses[0] ?? config.host,
    secure: ports.certificate !== undefined,
    publicUrl: config.publicUrl,
    hosts: config.hosts,
    hookHosts: config.hookHosts,
    peers,
    checkAnswers: options.checkAnswers ?? false,
    unavailableAt: (path) => plugins.unavailableAt(path),
  });
  const guard = openCrashGuard(home.starting);
  const startedAt = clock.timestamp();
  const bootId = randomBytes(9).toString("base64url");
  const checks = createPluginChecks(logOf);
  const runningHome = openRunningHome({
    foundation,
    config,
    version: options.version,
    signal,
    plugins: () => plugins,
    // Requests that arrive later are answered by the daemon with the new home.
    beforeRestart: () => ports.hold(),
    rehearse: createRehearse(startKernel, options, home, signal),
  });
  stopping.add(() => runningHome.settled(), { isUnlimited: true });
  const plugins: PluginHost = createPluginHost({
    guard,
    log: logOf("kernel"),
    emit,
    signal,
    configOf: (id) =>
      Object.hasOwn(config.settings, id) ? config.settings[id] : undefined,
    redact,
    context: createContextHost({
      ...{ foundation, http, children, checks, startedAt, bootId },
      port: ports.port,
      wholeHome: runningHome.wholeHome,
      plugins: () => plugins.list(),
      resolveName: options.resolveName,
      isRehearsal: rehearsal !== undefined,
    }),
  });
  return {
    ...{ options, foundation, stopping, children, ports, http, guard, checks },
    ...{ runningHome, plugins, startedAt, bootId },
  };
}

/** Adds the steps that end requests, plugins and connections. The last step that is added runs first. */
function addStopSteps({ stopping, http, plugins, foundation }: Parts): void {
  const { connections, sockets } = http;
  stopping.add(() => drain(connections));
  stopping.add(() => sockets.close());
  stopping.add(() => plugins.stopAll(stopping.deadline()), {
    isUnlimited: true,
  });
  stopping.add(() => foundation.bus.advance());
  // Clients are notified of the stop before anything that may take long.
  stopping.add(() => connections.endAll());
}

/** Calls `beforePlugins`, before the first code of a plugin runs. */
function announcePlugins(parts: Parts): void {
  const { options, foundation, guard, plugins, stopping } = parts;
  options.beforePlugins?.({
    log: foundation.logOf("kernel"),
    clock: options.clock,
    guard,
    pluginFolders: () =>
      new Map(
        plugins
          .list()
          .flatMap(({ id, folder }) => (folder ? [[id, folder]] : [])),
      ),
    stopPlugin: plugins.fail,
    stop: stopping.stop,
  });
}

/** Stores which plugin owns which data. A full disk must not keep the daemon from starting. */
async function claimData({ foundation, plugins }: Parts) {
  const { core, home, logOf, quarantine } = foundation;
  const data = createPluginData({ core, quarantine, home });
  await data
    .claim(plugins.list())
    .catch((error: unknown) =>
      logOf("kernel").error("Owners not stored", {}, error),
    );
  return data;
}

function recordStart(parts: Parts): void {
  const { options, foundation, ports, plugins, stopping } = parts;
  void foundation.audit.record("daemon.started", {
    version: options.version,
    pid: process.pid,
    addresses: ports.addresses.join(", "),
    port: ports.port,
    secure: ports.certificate !== undefined,
  });
  const recorded = recordPlugins(foundation.audit, plugins.list());
  stopping.add(() => recorded);
}

/** Serves the commands of the command line on the control socket. */
async function openControl(
  { foundation, ports, http, plugins, guard, stopping }: Parts,
  commands: Pick<
    Parameters<typeof createControlCommands>[0],
    "data" | "facts" | "pair"
  >,
): Promise<void> {
  const { audit, home, lock } = foundation;
  const { policy } = http;
  const url = policy.canonicalOrigin;
  const control = controlPath(home.folder);
  const server = await serveControl(
    control,
    createControlCommands({
      ...commands,
      ...{ plugins, guard, home, audit, url },
      rotateToken: () => rotateToken({ ...http, audit }, COMMAND_LINE),
      localUrl: toLocalUrl(policy.localOrigin, ports.addresses),
    }),
  );
  stopping.add(() => server.close());
  await lock.announce({ url, control });
}
