import type { PluginContext } from "@gantry/plugin";
import type { Tabs } from "../tabs/open-tabs.ts";
import { LiveTab } from "./live-tab.ts";
import type { Uploads } from "./uploads.ts";
import type { Viewer } from "./viewers.ts";

/** The tabs that have viewers. */
export interface Views {
  /** Shows a tab to a viewer until the returned function is called. `undefined` if there is no such tab. */
  join(tabId: string, viewer: Viewer): (() => void) | undefined;
  /** The live tab of a viewer that has joined, once its picture can start. */
  get(tabId: string): LiveTab | undefined;
  has(tabId: string): boolean;
  /** Whether a person is using a tab at this moment. */
  isUserDriving(tabId: string): boolean;
  /** Notes that an agent uses a tab, so that its viewers see it. */
  noteAgent(tabId: string, agentId: string): void;
}

/** One tab with viewers, also while its session is being opened. */
interface ViewedTab {
  viewers: Set<Viewer>;
  live: LiveTab | undefined;
}

/** Opens the views. A tab costs nothing while it has no viewer. */
export function openViews(
  ctx: Pick<PluginContext, "clock" | "log" | "own">,
  tabs: Pick<Tabs, "find" | "noteTitle" | "onChange">,
  uploads: Pick<Uploads, "pathsOf">,
): Views {
  const viewed = new Map<string, ViewedTab>();

  async function start(tabId: string, entry: ViewedTab): Promise<void> {
    const found = tabs.find(tabId);
    if (!found) return;
    const { browser } = found;
    const { sessionId } = await browser.protocol.send<{ sessionId: string }>(
      "Target.attachToTarget",
      { targetId: tabId, flatten: true },
    );
    if (viewed.get(tabId) !== entry)
      return browser.protocol.post("Target.detachFromTarget", { sessionId });
    const live = new LiveTab({
      ...{ browser, tabId, sessionId, clock: ctx.clock, log: ctx.log },
      pathsOf: (ids) => uploads.pathsOf(browser, ids),
      readTab: () => tabs.find(tabId)?.tab,
      onTitle: () => tabs.noteTitle(tabId),
    });
    entry.live = live;
    for (const viewer of entry.viewers) live.addViewer(viewer);
    live.applySize();
    live.attempt(live.start());
  }

  function leave(tabId: string, entry: ViewedTab, viewer: Viewer): void {
    entry.viewers.delete(viewer);
    entry.live?.removeViewer(viewer);
    if (entry.viewers.size > 0) return;
    if (viewed.get(tabId) === entry) viewed.delete(tabId);
    entry.live?.close();
    entry.live = undefined;
  }

  function end(tabId: string, entry: ViewedTab): void {
    viewed.delete(tabId);
    for (const { port } of [...entry.viewers]) port.send({ type: "gone" });
  }

  ctx.own(
    tabs.onChange(() => {
      for (const [tabId, entry] of [...viewed])
        if (tabs.find(tabId)) entry.live?.announce();
        else end(tabId, entry);
    }),
  );
  ctx.own(() => {
    for (const [tabId, entry] of [...viewed]) end(tabId, entry);
  });

  return {
    join(tabId, viewer) {
      const found = tabs.find(tabId);
      if (!found) return undefined;
      const release = found.browser.hold();
      let entry = viewed.get(tabId);
      if (entry) {
        entry.viewers.add(viewer);
        entry.live?.addViewer(viewer);
      } else {
        const created: ViewedTab = {
          ...{ viewers: new Set([viewer]), live: undefined },
        };
        entry = created;
        viewed.set(tabId, created);
        // The tab or the browser has gone in the meantime.
        start(tabId, created).catch(() => end(tabId, created));
      }
      const joined = entry;
      return () => {
        leave(tabId, joined, viewer);
        release();
      };
    },
    get: (tabId) => viewed.get(tabId)?.live,
    has: (tabId) => viewed.has(tabId),
    isUserDriving: (tabId) => viewed.get(tabId)?.live?.driver.isUser ?? false,
    noteAgent: (tabId, agentId) =>
      viewed.get(tabId)?.live?.driver.noteAgent(agentId),
  };
}
