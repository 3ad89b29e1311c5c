import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadConfig, Settings } from "@gantry/kernel/config/config";
import type { Config } from "@gantry/kernel/config/config";
import type { Home } from "@gantry/system/home/home";

/**
 * The configuration of a home, as far as it can be read: what brings a home back must run on one that is damaged. Of a file
 * that does not fit, only where the store is and the settings of plugins are taken.
 */
export async function readLenientConfig({ folder }: Home): Promise<Config> {
  return loadConfig({ home: folder }, process.env).catch(async () => {
    const file = await readObject(join(folder, "config.json"));
    const storage = Settings.shape.storage.safeParse(file.storage);
    const settings = Settings.shape.settings.safeParse(file.settings);
    // A home without a file has all defaults.
    const defaults = await loadConfig({ home: join(folder, "none") }, {});
    return {
      ...defaults,
      home: folder,
      storage: storage.data ?? defaults.storage,
      settings: settings.data ?? defaults.settings,
    };
  });
}

async function readObject(file: string): Promise<Record<string, unknown>> {
  try {
    const json = JSON.parse(await readFile(file, "utf8")) as unknown;
    return typeof json === "object" && json !== null ? { ...json } : {};
  } catch {
    return {};
  }
}
