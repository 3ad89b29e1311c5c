import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "@gantry/plugin/files";
import {
  DEFAULT_SETTINGS,
  storedSettings,
  type StoredSettings,
} from "./backup-record.ts";

const SETTINGS_FILE = "settings.json";

/**
 * Writes the settings into the plugin's folder as well, where the command line finds them while no daemon runs, also beside a
 * store that cannot be opened.
 *
 * @param folder The plugin's own folder.
 */
export async function writeSettingsCopy(
  folder: string,
  settings: StoredSettings,
): Promise<void> {
  const text = `${JSON.stringify(settings, null, 2)}\n`;
  const file = join(folder, SETTINGS_FILE);
  const present = await readFile(file, "utf8").catch(() => undefined);
  if (present !== text) await replaceFile(join(folder, SETTINGS_FILE), text);
}

/** The settings as the last daemon had them; `undefined` if there was none. */
export async function readSettingsCopy(
  folder: string,
): Promise<StoredSettings | undefined> {
  try {
    const text = await readFile(join(folder, SETTINGS_FILE), "utf8");
    const { data } = storedSettings.safeParse(JSON.parse(text));
    return data && { ...DEFAULT_SETTINGS, ...data };
  } catch {
    // Missing or damaged: the user must name the folder.
    return undefined;
  }
}
