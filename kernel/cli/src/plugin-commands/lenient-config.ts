import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadConfig, Settings } from "@gantry/kernel/config/config";
import type { Config } from "@gantry/kernel/config/config";
import type { Home } from "@gantry/system/home/home";
import { parseJson } from "@gantry/system/parse-json";
import * as z from "zod";

/** What is taken of a file that does not fit. */
const Kept = z
  .object({
    storage: Settings.shape.storage.catch("sqlite"),
    settings: Settings.shape.settings.catch({}),
  })
  .catch({ storage: "sqlite", settings: {} });

/**
 * The configuration of a home, as far as it can be read: what brings a home back must run on one that is damaged. Of a file
 * that does not fit, only where the store is and the settings of plugins are taken.
 */
export async function readLenientConfig({ folder }: Home): Promise<Config> {
  return loadConfig({ home: folder }, process.env).catch(async () => {
    const text = await readFile(join(folder, "config.json"), "utf8").catch(
      () => "",
    );
    // A home without a file has all defaults.
    const defaults = await loadConfig({ home: join(folder, "none") }, {});
    return { ...defaults, home: folder, ...Kept.parse(parseJson(text)) };
  });
}
