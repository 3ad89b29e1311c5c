import type { PluginDefinition } from "@gantry/plugin";
import type { Config } from "../config/config.ts";
import { choosePlugins, discoverPlugins } from "./discover.ts";
import { mendInstallations } from "./install.ts";
import type { PluginOrigin, PluginPackage } from "./manifest.ts";
import type { PluginHost } from "./plugin-host.ts";
import { shareModules } from "./share-modules.ts";

/** The plugins to load. */
export interface PluginSources {
  config: Config;
  /** Folder of the bundled plugins, `undefined` for none. */
  builtinPlugins: string | undefined;
  /** Folder of the plugins that the user added. */
  folder: string;
  /** Whether nothing in that folder may be changed. */
  isReadOnly: boolean;
  /** Plugins that are given as definitions, without code to load. */
  definitions?: readonly PluginDefinition[];
  /** Called once the essential plugins have started, before the others are loaded. */
  onEssential(): void;
}

/**
 * Finds the bundled and the added plugins, loads those that are selected, and starts them: first the essential ones, then the
 * others.
 */
export async function loadPlugins(
  plugins: PluginHost,
  sources: PluginSources,
): Promise<void> {
  const { builtinPlugins, config, folder, definitions = [] } = sources;
  const places: { folder: string; origin: PluginOrigin }[] = [
    { folder, origin: "home" },
  ];
  if (builtinPlugins)
    places.unshift({ folder: builtinPlugins, origin: "builtin" });
  shareModules();
  if (!sources.isReadOnly) await mendInstallations(folder);
  const found = await discoverPlugins(places);
  const { chosen, leftOut } = choosePlugins(found.packages, config);
  const isEssential = (plugin: PluginPackage) => plugin.isEssential;
  await plugins.duringStart(async () => {
    await plugins.addPackages(chosen.filter(isEssential));
    await plugins.start();
    sources.onEssential();
    for (const definition of definitions) plugins.addDefinition(definition);
    await plugins.addPackages(chosen.filter((one) => !isEssential(one)));
    for (const { plugin, reason } of leftOut)
      plugins.addDisabled(plugin, reason);
    for (const broken of found.broken) plugins.addBroken(broken);
    await plugins.start();
  });
}
