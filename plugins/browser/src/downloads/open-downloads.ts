import { join } from "node:path";
import { describeError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import type { BrowserConfig } from "../config.ts";
import type { Guards } from "../guard/open-guards.ts";
import type { BrowserRecords } from "../records/open-records.ts";
import type { Tabs } from "../tabs/open-tabs.ts";
import { BrowserDownloads } from "./browser-downloads.ts";
import { createDownloadFiles } from "./download-files.ts";
import type { DownloadFiles } from "./download-files.ts";
import { createDownloadLimits } from "./download-limits.ts";

/** Dependencies of {@link openBrowserDownloads}. */
export interface BrowserDownloadsHost {
  ctx: Pick<PluginContext, "clock" | "log" | "home">;
  config: BrowserConfig;
  records: BrowserRecords;
  tabs: Pick<Tabs, "urlOf" | "noteMisuse">;
  guards: Pick<Guards, "guardOf">;
}

/** The downloads of all running browsers, and the files of those that have ended. */
export interface WorkDownloads {
  readonly files: DownloadFiles;
  /** Follows the downloads of a browser that has just started. */
  attach(browser: RunningBrowser): Promise<void>;
}

/**
 * Opens the downloads. What was running when the daemon ended becomes `failed`, and files without a record are removed, as
 * are those of records that are removed later.
 */
export async function openBrowserDownloads({
  ctx,
  config,
  records: { downloads, policies },
  tabs,
  guards,
}: BrowserDownloadsHost): Promise<WorkDownloads> {
  // Beside the profiles, which are in no backup either.
  const files = createDownloadFiles(join(ctx.home, "browser", "downloads"));
  const browsers = new Set<BrowserDownloads>();
  const limits = createDownloadLimits(
    config.downloads,
    (agentId) => policies.get(agentId)?.tier ?? "none",
  );
  const known = await downloads.endInterrupted(
    "Gantry ended before it was complete. Download it again.",
  );
  for (const id of await files.list())
    if (!known.has(id)) await files.remove(id);
  downloads.onRemoved(async (ids) => {
    for (const id of ids)
      try {
        for (const browser of browsers) await browser.cancel(id);
        await files.remove(id);
      } catch (error) {
        // It is tried again at the next start.
        ctx.log.warn("The file of a download was not removed", {
          ...{ id, reason: describeError(error) },
        });
      }
  });
  return {
    files,
    async attach(browser) {
      const { profileId } = browser;
      const all = new BrowserDownloads({
        ...{ browser, files, limits, records: downloads },
        ...{ clock: ctx.clock, log: ctx.log },
        tabOf: (frameId) => guards.guardOf(browser).tabOfFrame(frameId),
        urlOf: (tabId) => tabs.urlOf(profileId, tabId),
        noteMisuse: (tabId, problem) =>
          tabs.noteMisuse(profileId, tabId, problem),
      });
      await all.follow();
      browsers.add(all);
      void browser.ended.then(() => browsers.delete(all));
    },
  };
}
