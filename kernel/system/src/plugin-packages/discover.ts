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
) {
  const packages: PluginPackage[] = [];
  /** Those that are a part of the daemon itself. */
  const system: PluginPackage[] = [];
  const broken: BrokenPackage[] = [];
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
        if (plugin) (plugin.isSystem ? system : packages).push(plugin);
      } catch (error) {
        const reason = (error as Error).message;
        broken.push({ name, folder: own, origin, reason });
      }
    }
  }
  return { packages, system, broken };
}
