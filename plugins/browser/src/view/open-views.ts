import type { PluginContext } from "@gantry/plugin";
import type { BrowserPool, RunningBrowser } from "../chromium/browser-pool.ts";
import type { BrowserConfig } from "../config.ts";
import type { Tier } from "../fence/policy.ts";
import type { BrowserRecords } from "../records/browser-records.ts";
import { BrowserTabs } from "./browser-tabs.ts";
import { findDownloadFolder } from "./download-files.ts";
import { BrowserDownloads } from "./downloads.ts";
import type { TargetOwner } from "./tabs.ts";
import { Uploads } from "./uploads.ts";

/** Dependencies of {@link openViews}. */
export interface ViewsOptions {
  ctx: Pick<PluginContext, "clock" | "log" | "machineFolder" | "own">;
  config: BrowserConfig;
  pool: BrowserPool;
  records: BrowserRecords;
  /** The current tier of an agent. */
  tierOf(agentId: string): Tier;
  /** Called before the user's own browser opens a typed address. */
  onTyped?(url: string): void;
}

/** The tabs of all running browsers. */
export interface BrowserViews {
  readonly pool: BrowserPool;
  readonly uploads: Uploads;
  /** Prepares a browser that has started. Call it once for each, before its guard resumes pages. */
  start(browser: RunningBrowser, targets: TargetOwner): Promise<void>;
  /** The tabs of a running browser. */
  tabsOf(browser: RunningBrowser): BrowserTabs | undefined;
  all(): readonly BrowserTabs[];
  /** The tabs of the browser that has this tab. */
  find(tabId: string): BrowserTabs | undefined;
  /** Whether the user is using a tab, so that an agent's input has to wait. */
  userIsDriving(tabId: string): boolean;
  /** Records that an agent uses a tab, so that viewers see it. */
  noteAgent(tabId: string, agentId: string): void;
}

/** Opens the views. */
export function openViews(options: ViewsOptions): BrowserViews {
  const { ctx, config, pool, records, tierOf } = options;
  const views = new Map<string, BrowserTabs>();
  const find = (tabId: string) =>
    [...views.values()].find((tabs) => tabs.get(tabId) !== undefined);

  ctx.own(
    records.permissions.onChange(({ origin, kind, decision }) => {
      for (const { browser } of views.values()) {
        if (browser.owner.kind !== "user") continue;
        applyPermission(browser, origin, kind, decision === "allow").catch(
          (error: unknown) =>
            ctx.log.warn("A permission was not applied", {
              error: String(error),
            }),
        );
      }
    }),
  );

  return {
    pool,
    uploads: new Uploads(ctx),
    async start(browser, targets) {
      const isUsers = browser.owner.kind === "user";
      const tabs = new BrowserTabs({
        ...{ browser, targets, ...ctx, records },
        onTyped: (url) => {
          if (isUsers) options.onTyped?.(url);
        },
      });
      views.set(browser.profileId, tabs);
      void browser.protocol.closed.then(() => {
        if (views.get(browser.profileId) === tabs)
          views.delete(browser.profileId);
      });
      if (browser.owner.kind === "user")
        await applyAllowed(browser, records.permissions);
      await new BrowserDownloads({
        browser,
        records: records.downloads,
        log: ctx.log,
        ownerOfFrame: (frameId) =>
          browser.owner.kind === "agent"
            ? browser.owner.agentId
            : (tabs.ofFrame(frameId)?.ownerAgentId ?? null),
        refuse: (agentId) =>
          /^(act|full)$/.test(tierOf(agentId))
            ? null
            : "This agent may look at pages, not download files.",
        folder: () => findDownloadFolder(config.downloads),
      }).start();
    },
    tabsOf: (browser) => views.get(browser.profileId),
    all: () => [...views.values()],
    find,
    userIsDriving: (tabId) => find(tabId)?.isUserDriving(tabId) ?? false,
    noteAgent: (tabId, agentId) => find(tabId)?.noteAgent(tabId, agentId),
  };
}

const MAX_APPLIED = 500;

/** Applies the user's permissions to a browser that has just started, which denies everything by default. */
async function applyAllowed(
  browser: RunningBrowser,
  permissions: BrowserRecords["permissions"],
): Promise<void> {
  const { items } = await permissions.list({ limit: MAX_APPLIED });
  await Promise.allSettled(
    items
      .filter(({ decision }) => decision === "allow")
      .map(({ origin, kind }) => applyPermission(browser, origin, kind, true)),
  );
}

async function applyPermission(
  { protocol }: RunningBrowser,
  origin: string,
  name: string,
  isAllowed: boolean,
): Promise<void> {
  await protocol.send("Browser.setPermission", {
    origin,
    permission: { name },
    setting: isAllowed ? "granted" : "denied",
  });
}
