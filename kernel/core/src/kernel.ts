import { recordPlugins } from "./audit/record-plugins.ts";
import { pairingUrl } from "./auth/pairing-routes.ts";
import type { NewCode } from "./auth/pairing.ts";
import { rotateToken } from "./auth/token-route.ts";
import type { Config } from "./config/config.ts";
import { createContextHost } from "./context-host.ts";
import { createControlCommands } from "./control-commands.ts";
import { describeDaemon } from "./daemon-facts.ts";
import type { Foundation } from "./foundation.ts";
import { controlPath, serveControl } from "@gantry/system/home/control";
import { createHttpSide } from "./http-side.ts";
import type { HttpSide } from "./http-side.ts";
import { openPorts } from "@gantry/http/open-ports";
import type { OpenPorts } from "@gantry/http/open-ports";
import { createPeers } from "@gantry/http/peer-address";
import { toLocalUrl } from "@gantry/http/local-url";
import { openCrashGuard } from "./plugins/crash-guard.ts";
import type { CrashGuard } from "./plugins/crash-guard.ts";
import { choosePlugins } from "./plugins/choose-plugins.ts";
import {
  discoverPlugins,
  pluginPlaces,
} from "@gantry/system/plugin-packages/discover";
import { mendInstallations } from "@gantry/system/plugin-packages/install";
import { createPluginData } from "./plugins/plugin-data.ts";
import { createChildren } from "@gantry/system/processes/children";
import { createStopSteps } from "@gantry/system/shutdown/stop-steps";
import type { Deadline } from "@gantry/system/shutdown/deadline";
import { toHomeError } from "@gantry/system/home/home";
import { openConfigured } from "./open-configured.ts";
import { createPluginHost } from "./plugins/plugin-host.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import { shareModules } from "./plugins/share-modules.ts";
import { createRehearse } from "./rehearsal/create-rehearse.ts";
import { createSystemPlugins } from "./plugins/system-plugins.ts";
import { scheduleJob } from "@gantry/system/schedule/cron";
import { addSystemRoutes } from "./system-routes.ts";
import { openRunningHome } from "./running-home.ts";
import type { KernelOptions } from "./kernel-options.ts";

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

/** Who acts over the control socket, as the audit log says it. */
const COMMAND_LINE = "command line";
/** Addresses that depend on which plugins there are. */
const OF_PLUGINS = /^\/(api|plugins|ui)\//;
/** A daemon that has run for so long has started well. */
const SETTLED_MS = 60_000;

/**
 * Starts a daemon: home, store, HTTP, plugins, in this order.
 *
 * @throws LockedError, HomeError, ConfigError or UserError; what was opened before is closed again
 */
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  const { clock, version, rehearsal } = options;
  const { foundation, config } = await openConfigured(options).catch(
    (error: unknown) => {
      throw toHomeError(error, options.config.home);
    },
  );
  const { audit, home, core, eventLog, bus, logOf, emit } = foundation;
  const log = logOf("kernel");
  const children = createChildren();
  const steps = createStopSteps(log);
  steps.add(() => foundation.close(), { isUnlimited: true });
  steps.add(() => void audit.record("daemon.stopped"));
  // Whatever the plugins left, no child outlives the store.
  steps.add(() => children.killAll());
  const ending = new AbortController();
  const signal = AbortSignal.any([
    ending.signal,
    ...(options.signal ? [options.signal] : []),
  ]);
  let deadline: Deadline | undefined;
  let stopping: Promise<void> | undefined;
  const stop = (by?: Deadline) => {
    deadline ??= by;
    ending.abort();
    return (stopping ??= steps.run());
  };
  let isHandedOver = false;

  try {
    const peers = createPeers(config.trustedProxies);
    const ports =
      options.ports ?? (await openPorts(config, home, peers.isProxy, log));
    steps.add(() => (isHandedOver ? undefined : ports.close()));
    const secure = ports.certificate !== undefined;
    const http = await createHttpSide(foundation, {
      port: ports.port,
      address: ports.addresses[0] ?? config.host,
      secure,
      publicUrl: config.publicUrl,
      hosts: config.hosts,
      hookHosts: config.hookHosts,
      peers,
      inspect: options.inspect,
      unavailableAt: (path) => plugins.unavailableAt(path),
    });
    const { app, sockets, connections, policy, owner } = http;
    const guard = openCrashGuard(home.starting);
    const startedAt = clock.timestamp();
    const runningHome = openRunningHome({
      foundation,
      config,
      version,
      signal,
      plugins: () => plugins,
      // A request that comes after that finds the new state.
      beforeRestart: () => ports.hold(),
      rehearse: createRehearse(startKernel, options, home, signal),
    });
    steps.add(() => runningHome.settled(), { isUnlimited: true });
    const context = createContextHost({
      foundation,
      http,
      children,
      startedAt,
      facts: () =>
        describeDaemon({
          version,
          startedAt,
          config,
          foundation,
          http,
          ports,
          plugins,
        }),
      port: ports.port,
      wholeHome: runningHome.wholeHome,
      plugins: () => plugins.list(),
      isRehearsal: rehearsal !== undefined,
      resolveName: options.resolveName,
    });
    const plugins = createPluginHost({
      guard,
      log,
      emit,
      signal,
      configOf: (id) =>
        Object.hasOwn(config.settings, id) ? config.settings[id] : undefined,
      redact: foundation.redact,
      context,
    });

    addSystemRoutes(app, owner, { version, home: home.folder, policy, clock });

    const system = createSystemPlugins(context);
    steps.add(() => system.stop(deadline), { isUnlimited: true });
    steps.add(() => connections.drain());
    steps.add(() => sockets.close());
    steps.add(() => plugins.stopAll(deadline), { isUnlimited: true });
    steps.add(() => bus.advance());
    // Clients are notified of the stop before anything that may take long.
    steps.add(() => connections.endAll());
    options.beforePlugins?.({
      log,
      clock,
      guard,
      pluginFolders: () =>
        new Map(
          plugins
            .list()
            .flatMap(({ id, folder }) => (folder ? [[id, folder]] : [])),
        ),
      countFault: plugins.countFault,
      stopPlugin: plugins.fail,
      stop,
    });
    const pluginsFolder = rehearsal?.pluginsFolder ?? home.plugins;
    shareModules();
    if (!rehearsal) await mendInstallations(home.plugins);
    const found = await discoverPlugins(
      pluginPlaces(pluginsFolder, options.builtinPlugins),
    );
    await system.start(options.systemDefinitions ?? [], found.system);
    ports.serve(app.handlers, (path) => OF_PLUGINS.test(path));
    for (const definition of options.definitions ?? [])
      plugins.addDefinition(definition);
    const { chosen, leftOut } = choosePlugins(found.packages, config);
    await plugins.addPackages(chosen);
    for (const { plugin, reason } of leftOut)
      plugins.addDisabled(plugin, reason);
    for (const broken of found.broken) plugins.addBroken(broken);
    await plugins.start();
    const data = createPluginData({
      core,
      quarantine: foundation.quarantine,
      home,
    });
    // A full disk must not keep the daemon from starting.
    await data
      .claim(plugins.list())
      .catch((error: unknown) => log.error("Owners not stored", {}, error));
    ports.serve(app.handlers);
    void audit.record("daemon.started", {
      version,
      pid: process.pid,
      addresses: ports.addresses.join(", "),
      port: ports.port,
      secure,
    });
    const recorded = recordPlugins(audit, plugins.list());
    steps.add(() => recorded);

    const pair = () => {
      const code = http.pairing.create(undefined);
      void audit.record("pairing.minted", { code: code.id, by: COMMAND_LINE });
      return { ...code, url: pairingUrl(policy, code) };
    };
    const control = controlPath(home.folder);
    const commands = createControlCommands({
      pair,
      plugins,
      guard,
      home,
      data,
      audit,
      rotateToken: () => rotateToken({ ...http, audit }, COMMAND_LINE),
      url: policy.canonicalOrigin,
      localUrl: toLocalUrl(policy.localOrigin, ports.addresses),
    });
    if (!rehearsal) {
      const controlServer = await serveControl(control, commands);
      steps.add(() => controlServer.close());
      await foundation.lock.announce({ url: policy.canonicalOrigin, control });
    }

    const cancelSettled = clock.after(SETTLED_MS, () => guard.settled());
    const sweep = scheduleJob(
      {
        plugin: "kernel",
        line: "17 * * * *",
        timezone: "UTC",
        async job() {
          connections.endStale();
          await Promise.all([eventLog.prune(), foundation.idempotency.prune()]);
        },
      },
      { clock, log },
    );
    steps.add(() => {
      cancelSettled();
      sweep();
      guard.settled();
      if (isHandedOver) ports.hold();
      else ports.stopAccepting();
    });

    return {
      config,
      url: policy.canonicalOrigin,
      port: ports.port,
      addresses: ports.addresses,
      foundation,
      http,
      plugins,
      guard,
      pair,
      stop,
      replaced: runningHome.restartRequested,
      async handOver(by) {
        isHandedOver = true;
        await stop(by);
        return ports;
      },
      killChildren: children.killAll,
    };
  } catch (error) {
    await stop();
    throw toHomeError(error, home.folder);
  }
}
