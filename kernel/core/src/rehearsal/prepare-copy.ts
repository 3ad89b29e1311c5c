import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { parseSettings } from "../config/config.ts";
import { homePaths } from "@gantry/system/home/home";
import { checkStage } from "@gantry/restore/check-stage";
import { prepareWhole } from "@gantry/restore/prepare-replacement";

/**
 * Makes a home of a stage, which holds a store as lines; what is a home already is left as it is.
 *
 * @throws TypeError for a stage that could not take the place of a home
 */
export async function prepareCopy(
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const store = await lstat(join(folder, "store")).catch(() => undefined);
  if (!store?.isDirectory()) return;
  const host = {
    home: homePaths(folder),
    storage: "sqlite" as const,
    parseConfig: parseSettings,
  };
  const content = await checkStage(folder, signal, folder);
  await prepareWhole(host, folder, content, signal);
}
