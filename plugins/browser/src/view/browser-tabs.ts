import type { Clock, Log } from "@gantry/plugin";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import { closeTarget } from "../chromium/close-target.ts";
import { errors } from "../errors.ts";
import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import type { BrowserRecords } from "../records/browser-records.ts";
import { toAddress } from "./address.ts";
import { LiveTab } from "./live-tab.ts";
import { MAX_TABS } from "./tab.ts";
import type { Tab } from "./tab.ts";
import type { Tabs, TargetOwner } from "./tabs.ts";

/** Dependencies of {@link BrowserTabs}. */
export interface BrowserTabsOptions {
  browser: RunningBrowser;
  targets: TargetOwner;
  clock: Clock;
  log: Log;
  records: Pick<BrowserRecords, "history" | "permissions">;
  /** Called before an address that the user typed is opened. */
  onTyped(url: string): void;
}

/** How long the preparation of a new tab may take. */
const MAX_OPEN_MS = 30_000;

type TabChange = { id: string; tab: Tab | null };

/** The tabs of one browser, each with its live view. */
export class BrowserTabs implements Tabs {
  readonly browser: RunningBrowser;
  readonly #options: BrowserTabsOptions;
  readonly #tabs = new Map<string, LiveTab>();
  readonly #bySession = new Map<string, LiveTab>();
  readonly #unprepared = new Set<string>();
  readonly #waiting = new Map<string, (tab: LiveTab) => void>();
  readonly #listeners = new Set<(change: TabChange) => void>();

  constructor(options: BrowserTabsOptions) {
    this.#options = options;
    this.browser = options.browser;
    const { protocol } = options.browser;
    protocol.onEvent((event) => this.#take(event));
    options.targets.onNewTarget((target, sessionId) => {
      if (target.type === "page") this.#prepare(target, sessionId);
    });
    void protocol.closed.then(() => {
      for (const id of this.#tabs.keys())
        this.#remove(id, "The browser has ended.");
    });
  }

  list(): Tab[] {
    return [...this.#tabs.values()].map(({ tab }) => tab);
  }

  get(id: string): Tab | undefined {
    return this.#tabs.get(id)?.tab;
  }

  /** The tab that a frame is part of. */
  ofFrame(frameId: string): Tab | undefined {
    return [...this.#tabs.values()].find((live) => live.hasFrame(frameId))?.tab;
  }

  /** The live view of a tab, for its viewers. */
  live(id: string): LiveTab | undefined {
    return this.#tabs.get(id);
  }

  async open({
    url,
    agentId,
  }: {
    url?: string | undefined;
    agentId?: string;
  }): Promise<Tab> {
    const address = url === undefined ? undefined : toAddress(url);
    if (address && "problem" in address)
      throw errors.BROWSER_ADDRESS_INVALID({ reason: address.problem });
    if (this.#tabs.size >= MAX_TABS)
      throw errors.BROWSER_TAB_LIMIT({ limit: MAX_TABS });
    const { targetId } = await this.browser.protocol.send<{ targetId: string }>(
      "Target.createTarget",
      // A new window for each tab: a background tab is drawn at a lower rate.
      { url: "about:blank", newWindow: true },
    );
    const tab = await this.#whenPrepared(targetId);
    if (agentId !== undefined) this.lend(targetId, agentId);
    if (address) tab.navigation.open(address.url);
    return tab.tab;
  }

  close(id: string): void {
    const { sessionId } = this.#find(id).session;
    const { browser, clock } = this.#options;
    void closeTarget(browser.protocol, clock, id, sessionId);
    this.#remove(id, "The tab was closed.");
  }

  lend(id: string, agentId: string | null): Tab {
    const live = this.#find(id);
    this.#options.targets.lend(id, agentId);
    live.announce();
    return live.tab;
  }

  isUserDriving(id: string): boolean {
    return this.#tabs.get(id)?.driver.isUser ?? false;
  }

  noteAgent(id: string, agentId: string): void {
    this.#tabs.get(id)?.driver.noteAgent(agentId);
  }

  onChange(listener: (change: TabChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #find(id: string): LiveTab {
    const live = this.#tabs.get(id);
    if (!live) throw errors.BROWSER_TAB_NOT_FOUND({ id });
    return live;
  }

  #prepare({ targetId }: { targetId: string }, sessionId: string): void {
    const { browser, targets, clock, log, records } = this.#options;
    const { protocol } = browser;
    if (this.#tabs.size >= MAX_TABS) {
      // Pages may open any number of windows; this one is over the limit and closed before it runs.
      void closeTarget(protocol, clock, targetId, sessionId);
      return;
    }
    const tab = new LiveTab({
      protocol,
      targetId,
      sessionId,
      clock,
      log,
      records,
      ownerOf: () => targets.ownerOf(targetId) ?? null,
      onChange: () => this.#announce({ id: targetId, tab: tab.tab }),
      onTyped: (url) => this.#options.onTyped(url),
    });
    this.#tabs.set(targetId, tab);
    this.#bySession.set(sessionId, tab);
    this.#unprepared.add(targetId);
    // Not awaited, since a paused page may answer only once it runs; these calls are ahead of the one that resumes it.
    void tab
      .prepare()
      .catch((error: unknown) => tab.fault(error))
      .then(() => {
        this.#announce({ id: targetId, tab: tab.tab });
        this.#waiting.get(targetId)?.(tab);
        this.#waiting.delete(targetId);
        this.#unprepared.delete(targetId);
      });
  }

  #whenPrepared(targetId: string): Promise<LiveTab> {
    const known = this.#tabs.get(targetId);
    if (known && !this.#unprepared.has(targetId)) return Promise.resolve(known);
    const { protocol } = this.browser;
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#waiting.delete(targetId);
        stopTimer();
      };
      const fail = () => {
        done();
        reject(errors.BROWSER_GONE({}));
      };
      const stopTimer = this.#options.clock.after(MAX_OPEN_MS, fail);
      this.#waiting.set(targetId, (tab) => {
        done();
        resolve(tab);
      });
      void protocol.closed.then(fail);
    });
  }

  #take(event: ProtocolEvent): void {
    const { method, params, sessionId } = event;
    if (sessionId !== undefined) {
      this.#bySession.get(sessionId)?.take(event);
      return;
    }
    if (method === "Target.targetDestroyed")
      this.#remove(params.targetId as string, "The tab was closed.");
  }

  #remove(id: string, reason: string): void {
    const live = this.#tabs.get(id);
    if (!live) return;
    this.#tabs.delete(id);
    this.#bySession.delete(live.session.sessionId);
    this.#unprepared.delete(id);
    live.close(reason);
    this.#announce({ id, tab: null });
  }

  #announce(change: TabChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
