import { isGantryError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import * as z from "zod";
import type { BrowserConfig } from "../config.ts";
import type { BrowserPool } from "./browser-pool.ts";
import { findChromium } from "./find-chromium.ts";

/** The installed browser, and which browsers are running. */
export const browserStatus = z.object({
  found: z.boolean(),
  /** Absolute path of the browser. */
  command: z.string().nullable(),
  /** Known once the browser has run. */
  version: z.string().nullable(),
  sandbox: z.enum(["on", "off"]),
  running: z.array(
    z.object({
      /** `user`, or the id of the agent. */
      profileId: z.string(),
      /** Memory of all its processes; `null` where the system does not say. */
      memoryBytes: z.number().int().nullable(),
      tabs: z.number().int(),
      since: z.string(),
    }),
  ),
  /** How to install a browser, where none is found. */
  hint: z.string().nullable(),
  /** Why the last start of a browser failed. */
  problem: z.string().nullable(),
});
export type BrowserStatus = z.infer<typeof browserStatus>;

/** Dependencies of {@link createStatusReader}. */
export interface StatusOptions {
  ctx: Pick<PluginContext, "run" | "daemon">;
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
  let version: string | null = null;
  return async () => {
    const [located, processes] = await Promise.all([
      locateChromium(ctx.run, config.command),
      pool.all().length > 0 ? ctx.daemon.processes() : [],
    ]);
    const memory = new Map(
      processes.map(({ pid, memoryBytes }) => [pid, memoryBytes]),
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
