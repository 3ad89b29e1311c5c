import type { OpenPorts } from "@gantry/http/open-ports";
import { discoverPlugins } from "@gantry/system/plugin-packages/discover";
import type { PluginPackage } from "@gantry/system/plugin-packages/manifest";
import { mendInstallations } from "@gantry/system/plugin-packages/install";
import { recordPlugins } from "./audit/record-plugins.ts";
import type { Config } from "./config/config.ts";
import type { HttpSide } from "./http-side.ts";
import type { KernelParts } from "./kernel-shutdown.ts";
import type { CrashGuard } from "./plugins/crash-guard.ts";
import type { PluginData } from "./plugins/plugin-data.ts";
import type { PluginHost } from "./plugins/plugin-host.ts";
import { shareModules } from "./plugins/share-modules.ts";
import type { SystemPlugins } from "./plugins/system-plugins.ts";

/** Addresses that depend on which plugins there are. */
const OF_PLUGINS = /^\/(api|plugins|ui)\//;

/**
 * What depends on plugins waits for all of them for so long. After that it is answered by those that run, while one that still
 * starts is `PLUGIN_UNAVAILABLE`.
 */
export const MAX_HELD_MS = 30_000;

/** A daemon whose ports are open. */
export interface RunningParts extends KernelParts {
  ports: OpenPorts;
  http: HttpSide;
  guard: CrashGuard;
  data: PluginData;
  readonly plugins: PluginHost;
}

/**
 * Finds, loads and starts the plugins; those that are parts of the daemon first. With those, pages are answered, and with all
 * of them everything. What has been asked for by then is answered before the code of the others is loaded.
 */
export async function startPlugins(
  running: RunningParts,
  system: SystemPlugins,
): Promise<void> {
  const { options, foundation, shutdown, ports, http, plugins } = running;
  const { clock, config, home, audit, logOf } = foundation;
  const { rehearsal, builtinPlugins } = options;
  const log = logOf("kernel");
  options.beforePlugins?.({
    ...{ log, clock, guard: running.guard, stop: shutdown.stop },
    pluginFolders: () =>
      new Map(
        plugins
          .list()
          .flatMap(({ id, folder }) => (folder ? [[id, folder]] : [])),
      ),
    countFault: plugins.countFault,
    stopPlugin: plugins.fail,
  });
  shareModules();
  if (!rehearsal) await mendInstallations(home.plugins);
  const found = await discoverPlugins(
    rehearsal?.pluginsFolder ?? home.plugins,
    builtinPlugins,
  );
  await system.start(options.systemDefinitions ?? [], found.system);
  await ports.serve(http.app.handlers, (path) => OF_PLUGINS.test(path));
  await options.ready;
  for (const definition of options.definitions ?? [])
    plugins.addDefinition(definition);
  const { chosen, leftOut } = choosePlugins(found.packages, config);
  await plugins.addPackages(chosen);
  for (const { plugin, reason } of leftOut)
    plugins.add(plugin.name, { state: "disabled", reason }, plugin);
  for (const { name, ...known } of found.broken)
    plugins.add(name, { ...known, state: "failed" });
  const serveAll = () => void ports.serve(http.app.handlers);
  const cancelServing = clock.after(MAX_HELD_MS, serveAll);
  await plugins.start().finally(cancelServing);
  // A full disk must not keep the daemon from starting.
  await running.data
    .claim(plugins.list())
    .catch((error: unknown) => log.error("Owners not stored", {}, error));
  serveAll();
  void audit.record("daemon.started", {
    version: options.version,
    pid: process.pid,
    addresses: ports.addresses.join(", "),
    port: ports.port,
    secure: ports.certificate !== undefined,
  });
  const recorded = recordPlugins(audit, plugins.list());
  shutdown.add(() => recorded);
}

/**
 * Parts the plugins to run from those to leave alone. Chosen by the name of the folder or of the package, with or
 * without its scope; what a plugin calls itself is known only once its code runs.
 */
function choosePlugins(
  packages: readonly PluginPackage[],
  { plugins, safe }: Pick<Config, "plugins" | "safe">,
) {
  const chosen: PluginPackage[] = [];
  const leftOut: { plugin: PluginPackage; reason: string }[] = [];
  for (const plugin of packages) {
    const { name, packageName } = plugin;
    const names = [name, packageName, packageName.replace(/^@[^/]*\//, "")];
    const reason = safe
      ? "the daemon runs with --safe"
      : plugins && !plugins.some((wanted) => names.includes(wanted))
        ? "it is not among those that --plugins names"
        : undefined;
    if (reason) leftOut.push({ plugin, reason });
    else chosen.push(plugin);
  }
  return { chosen, leftOut };
}
