import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { readPluginPackage } from "./manifest.ts";
import type { PluginOrigin, PluginPackage } from "./manifest.ts";

/** A folder with a `gantry` part that is not valid. */
export interface BrokenPackage {
  name: string;
  folder: string;
  origin: PluginOrigin;
  reason: string;
}

/** The plugins that were found. */
export interface Discovery {
  packages: PluginPackage[];
  broken: BrokenPackage[];
}

/**
 * Finds the plugins: each folder in the given places with a `gantry` part in its package.json. No code of theirs runs.
 */
export async function discoverPlugins(
  places: readonly { folder: string; origin: PluginOrigin }[],
): Promise<Discovery> {
  const found: Discovery = { packages: [], broken: [] };
  for (const { folder, origin } of places) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.sort()) {
      if (name.startsWith(".")) continue;
      const own = join(folder, name);
      try {
        const plugin = await readPluginPackage(own, name, origin);
        if (plugin) found.packages.push(plugin);
      } catch (error) {
        const reason = (error as Error).message;
        found.broken.push({ name, folder: own, origin, reason });
      }
    }
  }
  return found;
}

/**
 * Separates the plugins to run from those that `--safe` or `--plugins` leaves out; neither leaves out an essential one.
 * `--plugins` goes by the name of the folder or of the package, with or without its scope: the id is known only once the
 * code of a plugin runs.
 */
export function choosePlugins(
  packages: readonly PluginPackage[],
  { plugins, safe }: Pick<Config, "plugins" | "safe">,
) {
  const chosen: PluginPackage[] = [];
  const leftOut: { plugin: PluginPackage; reason: string }[] = [];
  for (const plugin of packages) {
    const reason = plugin.isEssential
      ? undefined
      : reasonToLeaveOut(plugin, { plugins, safe });
    if (reason) leftOut.push({ plugin, reason });
    else chosen.push(plugin);
  }
  return { chosen, leftOut };
}

function reasonToLeaveOut(
  { name, packageName }: PluginPackage,
  { plugins, safe }: Pick<Config, "plugins" | "safe">,
): string | undefined {
  if (safe) return "the daemon runs with --safe";
  const names = [name, packageName, packageName.replace(/^@[^/]*\//, "")];
  if (!plugins || plugins.some((wanted) => names.includes(wanted)))
    return undefined;
  return "it is not among those that --plugins names";
}
