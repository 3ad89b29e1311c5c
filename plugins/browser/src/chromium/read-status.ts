import { isGantryError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { createProgramView } from "@gantry/process-kit";
import type { ProgramViewHost } from "@gantry/process-kit";
import type { BrowserConfig } from "../config.ts";
import type { BrowserPool } from "./browser-pool.ts";
import type { BrowserStatus } from "./browser-status.ts";
import { findChromium } from "./find-chromium.ts";

/** Dependencies of {@link createStatusReader}. */
export interface StatusOptions {
  ctx: Pick<PluginContext, "run"> & ProgramViewHost;
  config: BrowserConfig;
  pool: BrowserPool;
  /** Number of tabs of a profile. */
  countTabs(profileId: string): number;
}

/** Creates a function that reads the status. It starts no browser. */
export function createStatusReader({
  ctx,
  config,
  pool,
  countTabs,
}: StatusOptions): () => Promise<BrowserStatus> {
  const programs = createProgramView(ctx);
  let version: string | null = null;
  return async () => {
    const [located, measured] = await Promise.all([
      locateChromium(ctx.run, config.command),
      pool.all().length > 0 ? programs.list() : [],
    ]);
    const memory = new Map(
      measured.map(({ pid, memoryBytes }) => [pid, memoryBytes]),
    );
    const running = pool.all().map((browser) => {
      version = browser.version;
      return {
        profileId: browser.profileId,
        memoryBytes: memory.get(browser.pid) ?? null,
        tabs: countTabs(browser.profileId),
        since: browser.startedAt,
      };
    });
    return {
      found: located.command !== null,
      ...located,
      ...{ version, sandbox: config.sandbox, running, problem: pool.problem },
    };
  };
}

/** The path of the browser, or how to install one. */
export async function locateChromium(
  run: PluginContext["run"],
  command: string | undefined,
): Promise<Pick<BrowserStatus, "command" | "hint">> {
  try {
    return { command: await findChromium(run, command), hint: null };
  } catch (error) {
    if (!isGantryError(error) || error.code !== "BROWSER_MISSING") throw error;
    return { command: null, hint: error.message };
  }
}
