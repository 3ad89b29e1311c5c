import type { PluginContext } from "@gantry/plugin";
import type { BrowserPool } from "../chromium/browser-pool.ts";
import { TabsChanged } from "../records/events.ts";
import type { BrowserViews } from "../view/open-views.ts";

/** Pages load in bursts of changes; one event covers all of them. */
const INTERVAL_MS = 300;

/** Dependencies of {@link announceTabs}. */
export interface AnnounceOptions {
  ctx: Pick<PluginContext, "clock" | "emit" | "own">;
  pool: BrowserPool;
  views: BrowserViews;
}

/**
 * Emits an event when tabs have changed, so that clients read the lists again. Call it after the views have their tabs.
 */
export function announceTabs({ ctx, pool, views }: AnnounceOptions): void {
  let cancelTimer: (() => void) | undefined;
  ctx.own(() => cancelTimer?.());

  function announce(profileId: string): void {
    cancelTimer ??= ctx.clock.after(INTERVAL_MS, () => {
      cancelTimer = undefined;
      // Lists are read when a page is opened, so a lost event does no harm.
      ctx.emit(TabsChanged.of(profileId, {})).catch(() => {});
    });
  }

  pool.onStart((browser) => {
    const { profileId } = browser;
    views.tabsOf(browser)?.onChange(() => announce(profileId));
    void browser.ended.then(() => announce(profileId));
  });
}
