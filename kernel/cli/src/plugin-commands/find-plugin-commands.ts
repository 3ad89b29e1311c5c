import type { Home } from "@gantry/system/home/home";
import { discoverPlugins } from "@gantry/system/plugin-packages/discover";
import type {
  CommandsFile,
  PluginPackage,
} from "@gantry/system/plugin-packages/manifest";

/** A plugin with commands. */
export interface CommandsPackage extends PluginPackage {
  readonly commands: CommandsFile;
}

/**
 * Finds the commands of the plugins that are delivered with the daemon and of those in a home, switched on or not. It reads
 * what their packages say and runs no code of theirs.
 *
 * @param taken The daemon's own commands. A delivered plugin goes before one of the home.
 */
export async function findPluginCommands(
  { plugins }: Home,
  builtinPlugins: string | undefined,
  taken: readonly string[],
) {
  const { packages, system } = await discoverPlugins(plugins, builtinPlugins);
  /** By the word that is typed for them. */
  const offered = new Map<string, CommandsPackage>();
  /** Those whose word is taken. */
  const refused: CommandsPackage[] = [];
  for (const plugin of [...system, ...packages]) {
    if (!hasCommands(plugin)) continue;
    const { name } = plugin.commands;
    if (taken.includes(name) || offered.has(name)) refused.push(plugin);
    else offered.set(name, plugin);
  }
  return { offered, refused };
}

const hasCommands = (plugin: PluginPackage): plugin is CommandsPackage =>
  plugin.commands !== undefined;
