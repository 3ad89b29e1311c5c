import { describeError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import type { FailedConnection } from "../egress/open-egress.ts";
import { errors } from "../errors.ts";
import { BrowserTabs } from "./browser-tabs.ts";
import { TabsChanged } from "./events.ts";
import type { TabUsers } from "./page-watch.ts";
import type { Tab } from "./schemas.ts";

/** Pages load in bursts of changes; one event covers all of them. */
const ANNOUNCE_MS = 1_000;

/** The tabs of all running browsers. */
export interface Tabs {
  /** Follows the tabs of a browser that has just started. */
  attach(browser: RunningBrowser): Promise<void>;
  list(): Promise<Tab[]>;
  /** Notes that the page of a tab has changed its title, which Chromium does not report. */
  noteTitle(id: string): void;
  /** A tab with its browser; `undefined` if there is none. */
  find(id: string): { browser: RunningBrowser; tab: Tab } | undefined;
  /** Calls back after each change of any tab. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Number of tabs of a profile. */
  count(profileId: string): number;
  /** @throws `BROWSER_TAB_LIMIT` (409), `BROWSER_GONE` (502), `BROWSER_UNRESPONSIVE` (504) */
  open(browser: RunningBrowser, url: string): Promise<Tab>;
  /**
   * Begins to load an address in a tab.
   *
   * @throws `BROWSER_TAB_NOT_FOUND` (404)
   */
  navigate(id: string, url: string): Promise<Tab>;
  /** @throws `BROWSER_TAB_NOT_FOUND` (404) */
  close(id: string): void;
  /** Address of a tab of a profile; `undefined` if there is none. */
  urlOf(profileId: string, id: string): string | undefined;
  /** Notes what the page of a tab did too much of. */
  noteMisuse(profileId: string, id: string, problem: string): void;
  /** Notes that a new target of a profile runs, which stood still before. */
  noteRunning(profileId: string, id: string): void;
  /** Notes why a connection of a profile's browser was not made. */
  noteFailed(profileId: string, failed: FailedConnection): void;
}

/**
 * Opens the tabs, which emit {@link TabsChanged} at most once a second for each profile.
 *
 * @param users Who uses a tab, and then answers its dialogs.
 */
export function openTabs(
  ctx: Pick<PluginContext, "clock" | "emit" | "log">,
  users: TabUsers,
): Tabs {
  const byProfile = new Map<string, BrowserTabs>();
  const announced = new Set<string>();
  const listeners = new Set<() => void>();

  function announce(profileId: string): void {
    for (const listener of [...listeners]) listener();
    if (announced.has(profileId)) return;
    announced.add(profileId);
    ctx.clock.after(ANNOUNCE_MS, () => {
      announced.delete(profileId);
      // A client that misses it reads the list when its page is opened again.
      ctx.emit(TabsChanged.of(profileId, {})).catch((error: unknown) =>
        ctx.log.warn("Tabs were not announced", {
          ...{ profileId, reason: describeError(error) },
        }),
      );
    });
  }

  const holderOf = (id: string) =>
    [...byProfile.values()].find((each) => each.has(id));

  return {
    async attach(browser) {
      const { profileId } = browser;
      const tabs = new BrowserTabs({
        browser,
        clock: ctx.clock,
        users,
        onChange: () => announce(profileId),
      });
      await tabs.follow();
      byProfile.set(profileId, tabs);
      void browser.ended.then(() => {
        byProfile.delete(profileId);
        announce(profileId);
      });
    },
    async list() {
      const all = [...byProfile.values()].map((tabs) => tabs.list());
      return (await Promise.all(all)).flat();
    },
    noteTitle: (id) => void holderOf(id)?.refresh(),
    urlOf: (profileId, id) => byProfile.get(profileId)?.urlOf(id),
    noteMisuse: (profileId, id, problem) =>
      byProfile.get(profileId)?.noteMisuse(id, problem),
    noteRunning: (profileId, id) => byProfile.get(profileId)?.noteRunning(id),
    noteFailed: (profileId, failed) =>
      byProfile.get(profileId)?.noteFailed(failed),
    count: (profileId) => byProfile.get(profileId)?.size ?? 0,
    async open(browser, url) {
      const tabs = byProfile.get(browser.profileId);
      if (!tabs) throw errors.BROWSER_GONE({});
      return await tabs.open(url);
    },
    find(id) {
      const tabs = holderOf(id);
      const tab = tabs?.get(id);
      return tabs && tab && { browser: tabs.browser, tab };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async navigate(id, url) {
      const tabs = holderOf(id);
      if (!tabs) throw errors.BROWSER_TAB_NOT_FOUND({ id });
      return await tabs.navigate(id, url);
    },
    close(id) {
      const tabs = holderOf(id);
      if (!tabs) throw errors.BROWSER_TAB_NOT_FOUND({ id });
      tabs.close(id);
    },
  };
}
