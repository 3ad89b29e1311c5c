import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { readStorage } from "../config/config.ts";
import { homePaths } from "@gantry/system/home/home";
import { checkStage } from "@gantry/whole-home/check-stage";
import { prepareWhole } from "@gantry/whole-home/prepare-replacement";

/**
 * Turns a stage, which has its store as lines, into a home. A folder that is a home already is not changed.
 *
 * @throws TypeError for a stage that could not replace a home
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
    readStorage,
  };
  const content = await checkStage(folder, signal, folder);
  await prepareWhole(host, folder, content, signal);
}
