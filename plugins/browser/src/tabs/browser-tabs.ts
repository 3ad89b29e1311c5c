import { describeError, isGantryError } from "@gantry/plugin";
import type { Clock } from "@gantry/plugin";
import type { RunningBrowser } from "../chromium/browser-pool.ts";
import type { FailedConnection } from "../egress/open-egress.ts";
import { errors } from "../errors.ts";
import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import { sendInTime } from "../protocol/send-in-time.ts";
import { PageWatch } from "./page-watch.ts";
import type { TabUsers } from "./page-watch.ts";
import {
  describeCrash,
  describeTooManyTabs,
  FailureMemory,
} from "./problems.ts";
import type { Tab } from "./schemas.ts";
import { toTab } from "./to-tab.ts";
import type { TargetInfo } from "./to-tab.ts";

/** Tabs that one browser may have, including those that pages open. */
export const MAX_TABS = 12;
const CLOSE_RETRY_MS = 1_000;
const MAX_CLOSE_RETRIES = 10;

/** The tabs of one browser. */
export class BrowserTabs {
  readonly browser: RunningBrowser;
  readonly #clock: Pick<Clock, "after">;
  readonly #onChange: () => void;
  readonly #tabs = new Map<string, Tab>();
  readonly #pages: PageWatch;
  readonly #failures: FailureMemory;
  /** Addresses of the pages that were misused, by tab. */
  readonly #misuses = new Map<string, string>();
  /** Windows that are closed as soon as they run. */
  readonly #resuming = new Set<string>();
  /** Tabs that were closed here, and that Chromium has not closed yet. */
  readonly #closing = new Set<string>();

  constructor(options: {
    browser: RunningBrowser;
    clock: Pick<Clock, "after">;
    /** Who uses a tab, and then answers its dialogs. If it is left out, there are no users. */
    users?: TabUsers;
    /** Called after each change of the list. */
    onChange(): void;
  }) {
    this.browser = options.browser;
    this.#clock = options.clock;
    this.#onChange = options.onChange;
    this.#failures = new FailureMemory(options.browser.owner.kind);
    this.#pages = new PageWatch({
      protocol: options.browser.protocol,
      clock: options.clock,
      users: options.users,
      onProblem: (id, problem) => this.#setProblem(id, problem),
      describeUnreachable: (url) => this.#failures.describe(url),
    });
  }

  /** Follows the tabs from now on. Resolves when the browser reports them. */
  async follow(): Promise<void> {
    const { protocol } = this.browser;
    protocol.onEvent((event) => this.#take(event));
    await protocol.send("Target.setDiscoverTargets", { discover: true });
  }

  get size(): number {
    return this.#tabs.size;
  }

  /** The tabs with their present titles, in the order in which they were opened. */
  async list(): Promise<Tab[]> {
    await this.refresh();
    return [...this.#tabs.values()];
  }

  /** Reads what Chromium does not report by itself: pages that change their titles. */
  async refresh(): Promise<void> {
    const { targetInfos } = await sendInTime<{ targetInfos: TargetInfo[] }>(
      this.browser,
      this.#clock,
      "Target.getTargets",
      // It has ended in the meantime.
    ).catch(() => ({ targetInfos: [] }));
    let hasChanged = false;
    for (const info of targetInfos) {
      const known = this.#tabs.get(info.targetId);
      if (!known) continue;
      const { url, title } = this.#store(info);
      hasChanged ||= url !== known.url || title !== known.title;
    }
    if (hasChanged) this.#onChange();
  }

  has(id: string): boolean {
    return this.#tabs.has(id);
  }

  get(id: string): Tab | undefined {
    return this.#tabs.get(id);
  }

  /** Notes what the page of a tab did too much of, until it shows another page. */
  noteMisuse(id: string, problem: string): void {
    const tab = this.#tabs.get(id);
    if (tab) this.#misuses.set(id, tab.url);
    this.#setProblem(id, problem);
  }

  /** Notes that a new tab runs, which stood still before. */
  noteRunning(id: string): void {
    if (this.#resuming.delete(id)) this.close(id);
  }

  /** Notes why a connection was not made, before Chromium reports that its page was not reached. */
  noteFailed(failed: FailedConnection): void {
    this.#failures.note(failed);
  }

  /** The address of a tab; `undefined` if there is none. */
  urlOf(id: string): string | undefined {
    return this.#tabs.get(id)?.url;
  }

  /**
   * Opens a tab, which begins to load the address.
   *
   * @throws `BROWSER_TAB_LIMIT` (409), `BROWSER_FAILED` (502), `BROWSER_GONE` (502), `BROWSER_UNRESPONSIVE` (504)
   */
  async open(url: string): Promise<Tab> {
    if (this.#tabs.size >= MAX_TABS)
      throw errors.BROWSER_TAB_LIMIT({ limit: MAX_TABS });
    const { targetId } = await sendInTime<{ targetId: string }>(
      this.browser,
      this.#clock,
      // In a window of its own: Chromium draws a page behind another one rarely.
      ...(["Target.createTarget", { url, newWindow: true }] as const),
    ).catch((cause: unknown) => {
      if (isGantryError(cause)) throw cause;
      const reason = `The browser did not open the tab: ${describeError(cause)}`;
      throw errors.BROWSER_FAILED({ reason }, { cause });
    });
    // Chromium has reported the tab by now, unless a page took the last place, or closed the tab.
    const reported = this.#tabs.get(targetId);
    if (!reported) throw errors.BROWSER_TAB_LIMIT({ limit: MAX_TABS });
    // A tab has no address before its page begins to load.
    const opened = { ...reported, url: reported.url || url };
    this.#tabs.set(targetId, opened);
    return opened;
  }

  /**
   * Begins to load an address in a tab, and does not wait for its server.
   *
   * @throws `BROWSER_TAB_NOT_FOUND` (404)
   */
  async navigate(id: string, url: string): Promise<Tab> {
    const sessionId = await this.#pages.sessionOf(id);
    const tab = this.#tabs.get(id);
    if (!tab || sessionId === undefined)
      throw errors.BROWSER_TAB_NOT_FOUND({ id });
    const params = { url, transitionType: "typed" };
    this.browser.protocol.post("Page.navigate", params, sessionId);
    return tab;
  }

  /** Removes a tab from the list at once, and closes it. */
  close(id: string): void {
    this.#closing.add(id);
    this.#forget(id);
    this.#retryClose(id, MAX_CLOSE_RETRIES);
  }

  #take(event: ProtocolEvent): void {
    this.#pages.take(event);
    const { method, params } = event;
    if (method === "Target.targetDestroyed") {
      const { targetId } = params as { targetId: string };
      this.#closing.delete(targetId);
      this.#resuming.delete(targetId);
      this.#forget(targetId);
    }
    if (method === "Target.targetCrashed") {
      const { targetId, status } = params as Record<string, string>;
      this.#setProblem(targetId!, describeCrash(status!));
    }
    if (
      method === "Target.targetCreated" ||
      method === "Target.targetInfoChanged"
    )
      this.#update((params as { targetInfo: TargetInfo }).targetInfo);
  }

  #update(info: TargetInfo): void {
    const { targetId, type } = info;
    if (type !== "page") return;
    if (this.#resuming.has(targetId)) return;
    if (this.#closing.has(targetId)) return this.#sendClose(targetId);
    // Pages may open any number of windows.
    const isNew = !this.#tabs.has(targetId);
    if (isNew && this.#tabs.size >= MAX_TABS) {
      this.noteMisuse(info.openerId ?? "", describeTooManyTabs(MAX_TABS));
      // One that is closed while it stands still would keep its opener waiting for ever.
      return void this.#resuming.add(targetId);
    }
    this.#store(info);
    this.#onChange();
    if (isNew) void this.#pages.follow(targetId);
  }

  #setProblem(id: string, problem: string | null): void {
    const tab = this.#tabs.get(id);
    if (!tab || tab.problem === problem) return;
    // A page is reported as shown after it has begun to run.
    if (problem === null && this.#misuses.get(id) === tab.url) return;
    this.#tabs.set(id, { ...tab, problem });
    this.#onChange();
  }

  #forget(id: string): void {
    this.#misuses.delete(id);
    if (this.#tabs.delete(id)) this.#onChange();
  }

  #store(info: TargetInfo): Tab {
    const { targetId } = info;
    const known = this.#tabs.get(targetId);
    const tab = toTab(info, this.browser.owner, known);
    this.#tabs.set(targetId, tab);
    return tab;
  }

  /** Chromium confirms the close of a page that is loading and keeps it open, so it is closed again until it is gone. */
  #retryClose(id: string, retries: number): void {
    if (!this.#closing.has(id) || this.browser.protocol.isClosed) return;
    this.#sendClose(id);
    if (retries > 0)
      this.#clock.after(CLOSE_RETRY_MS, () =>
        this.#retryClose(id, retries - 1),
      );
  }

  #sendClose(targetId: string): void {
    // Rejected when the tab or the browser has gone in the meantime.
    this.browser.protocol
      .send("Target.closeTarget", { targetId })
      .catch(() => {});
  }
}
