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

/**
 * Finds the plugins that are delivered with the daemon, if there are any, then those of a home: each folder with a `gantry`
 * part in its package.json. No code of theirs runs.
 */
export async function discoverPlugins(
  homePlugins: string,
  builtinPlugins?: string,
) {
  const packages: PluginPackage[] = [];
  /** Those that are a part of the daemon itself. */
  const system: PluginPackage[] = [];
  const broken: BrokenPackage[] = [];

  async function discoverIn(place: string, origin: PluginOrigin) {
    const all = await readdir(place).catch(() => []);
    const names = all.filter((name) => !name.startsWith(".")).sort();
    const readings = await Promise.allSettled(
      names.map((name) => readPluginPackage(join(place, name), name, origin)),
    );
    for (const [at, name] of names.entries()) {
      const reading = readings[at]!;
      if (reading.status === "rejected") {
        const reason = (reading.reason as Error).message;
        broken.push({ name, folder: join(place, name), origin, reason });
      } else if (reading.value)
        (reading.value.isSystem ? system : packages).push(reading.value);
    }
  }

  if (builtinPlugins !== undefined) await discoverIn(builtinPlugins, "builtin");
  await discoverIn(homePlugins, "home");
  return { packages, system, broken };
}
