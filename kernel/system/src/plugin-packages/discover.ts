import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readPluginPackage } from "./manifest.ts";
import type { PluginOrigin, PluginPackage } from "./manifest.ts";

/** A folder that says that it is a plugin but cannot be used. */
export interface BrokenPackage {
  name: string;
  folder: string;
  origin: PluginOrigin;
  reason: string;
}

/** What was found. */
export interface Discovery {
  packages: PluginPackage[];
  /** Those that are a part of the daemon itself. */
  system: PluginPackage[];
  broken: BrokenPackage[];
}

/** The places of plugins: those that are delivered with the daemon, if there are any, then those of a home. */
export const pluginPlaces = (
  homePlugins: string,
  builtinPlugins: string | undefined,
): { folder: string; origin: PluginOrigin }[] => [
  ...(builtinPlugins === undefined
    ? []
    : [{ folder: builtinPlugins, origin: "builtin" as const }]),
  { folder: homePlugins, origin: "home" },
];

/**
 * Finds the plugins: each folder in the given places with a `gantry` part in its package.json. No code of theirs runs.
 */
export async function discoverPlugins(
  places: readonly { folder: string; origin: PluginOrigin }[],
): Promise<Discovery> {
  const found: Discovery = { packages: [], system: [], broken: [] };
  for (const { folder, origin } of places) {
    const names = await readdir(folder).catch(() => []);
    const reading = names
      .filter((name) => !name.startsWith("."))
      .sort()
      .map((name) => ({
        name,
        own: join(folder, name),
        plugin: readPluginPackage(join(folder, name), name, origin),
      }));
    // All are waited for first: one that rejects while another is awaited would be a fault of the process.
    await Promise.allSettled(reading.map(({ plugin }) => plugin));
    for (const { name, own, plugin: read } of reading) {
      try {
        const plugin = await read;
        if (plugin)
          (plugin.isSystem ? found.system : found.packages).push(plugin);
      } catch (error) {
        const reason = (error as Error).message;
        found.broken.push({ name, folder: own, origin, reason });
      }
    }
  }
  return found;
}
