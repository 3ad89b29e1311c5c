import { isGantryError } from "@gantry/plugin";
import type { Finding, PluginContext } from "@gantry/plugin";
import * as z from "zod";
import type { BrowserConfig } from "../config.ts";
import type { BrowserPool, RunningBrowser } from "./browser-pool.ts";
import { findChromium } from "./find-chromium.ts";
import { findOrphanedProfiles } from "./profile.ts";

/** Folders that one finding names. */
const MAX_NAMED = 5;

/** The installed browser, and which browsers are running. */
export const browserStatus = z.object({
  found: z.boolean(),
  command: z.string().nullable(),
  /** Known once the browser has run. */
  version: z.string().nullable(),
  sandbox: z.enum(["on", "off"]),
  running: z.array(
    z.object({
      profileId: z.string(),
      memoryBytes: z.number().int().nullable(),
      tabs: z.number().int(),
      since: z.string(),
    }),
  ),
  /** How to install a browser when there is none. */
  hint: z.string().nullable(),
});
export type BrowserStatus = z.infer<typeof browserStatus>;

/** Dependencies of {@link createStatusReader}. */
export interface StatusOptions {
  ctx: Pick<PluginContext, "run" | "daemon">;
  config: BrowserConfig;
  pool: Pick<BrowserPool, "all">;
  countTabs(browser: RunningBrowser): number;
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
    const [found, processes] = await Promise.all([
      locate(ctx, config),
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
        tabs: countTabs(browser),
        since: browser.startedAt,
      };
    });
    return { ...found, version, sandbox: config.sandbox, running };
  };
}

async function locate(
  ctx: StatusOptions["ctx"],
  { command }: BrowserConfig,
): Promise<Pick<BrowserStatus, "found" | "command" | "hint">> {
  try {
    const path = await findChromium(ctx.run, command);
    return { found: true, command: path, hint: null };
  } catch (error) {
    if (!isGantryError(error) || error.code !== "BROWSER_MISSING") throw error;
    return { found: false, command: null, hint: error.message };
  }
}

/** Checks the browser for the doctor. */
export async function diagnoseBrowser(
  ctx: StatusOptions["ctx"],
  config: BrowserConfig,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const { found, hint } = await locate(ctx, config);
  if (!found)
    findings.push({
      severity: "low",
      code: "BROWSER_MISSING",
      what: "The work browser has no Chromium to run.",
      fix: hint ?? "Install Chromium.",
    });
  if (config.sandbox === "off")
    findings.push({
      severity: "high",
      code: "BROWSER_SANDBOX_OFF",
      what: "The work browser runs without its sandbox: a page that breaks out of it has the rights of the daemon.",
      fix: 'Remove settings.browser.sandbox: "off" and restart Gantry.',
    });
  const left = await findOrphanedProfiles();
  if (left.length > 0)
    findings.push({
      severity: "low",
      code: "BROWSER_PROFILES_LEFT",
      what: `Profiles of the work browser belong to homes that are gone: ${toShortList(left)}.`,
      fix: "Remove these folders, unless their home is on a disk that is not mounted.",
    });
  return findings;
}

/** The first names of a list, since the length of a finding is limited. */
function toShortList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED);
  const more = names.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
