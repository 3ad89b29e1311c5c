import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import { toAddress } from "./address.ts";
import { describeLoadError, isHarmless } from "./page-errors.ts";
import type { Tab } from "./tab.ts";
import type { TabPart, TabSession } from "./tab-session.ts";

type PageChange = Partial<Omit<Tab, "id" | "ownerAgentId">>;

/** A completed navigation. */
export interface Arrival {
  url: string;
  /** Whether its address was typed into the address bar. */
  typed: boolean;
}

const NOTHING_KEPT = { maxTotalBufferSize: 0, maxResourceBufferSize: 0 };

/** Address, loading state and history of one tab. */
export class Navigation implements TabPart {
  readonly #session: TabSession;
  readonly #change: (change: PageChange) => void;
  readonly #onArrival: (arrival: Arrival) => void;
  readonly #onTitle: (url: string, title: string) => void;
  readonly #onTyped: (url: string) => void;
  /** Whether the pending address was typed by the user. */
  #isTyped = false;
  #lastDocumentError: string | undefined;
  #isCrashed = false;

  constructor(options: {
    session: TabSession;
    change(change: PageChange): void;
    onArrival(arrival: Arrival): void;
    onTitle(url: string, title: string): void;
    /** Called before an address that was typed is opened. */
    onTyped(url: string): void;
  }) {
    this.#session = options.session;
    this.#change = (change) => options.change(change);
    this.#onArrival = (arrival) => options.onArrival(arrival);
    this.#onTitle = (url, title) => options.onTitle(url, title);
    this.#onTyped = (url) => options.onTyped(url);
  }

  take({ method, params }: ProtocolEvent): void {
    switch (method) {
      case "Page.frameStartedLoading":
      case "Page.frameStoppedLoading":
        if (params.frameId === this.#session.mainFrameId)
          this.#setLoading(method === "Page.frameStartedLoading");
        return;
      case "Page.domContentEventFired":
      case "Page.loadEventFired":
        return this.refresh();
      case "Page.frameNavigated":
        return this.#navigated(params.frame as Frame);
      case "Page.navigatedWithinDocument":
        if (params.frameId === this.#session.mainFrameId)
          this.#arrived(params.url as string);
        return;
      case "Network.loadingFailed":
        if (params.type === "Document")
          this.#lastDocumentError = params.errorText as string;
        return;
      case "Inspector.targetCrashed":
        this.#isCrashed = true;
        return this.#change({
          loading: false,
          error: "The page crashed. Reload it to bring it back.",
        });
    }
  }

  /** Opens an address; text that is not an address becomes the tab's error. */
  open(text: string, isTyped = true): void {
    const address = toAddress(text);
    if ("problem" in address) return this.#change({ error: address.problem });
    this.#isTyped = isTyped;
    if (isTyped) this.#onTyped(address.url);
    this.#change({ loading: true, error: null });
    this.#session.post(
      "Page.navigate",
      { url: address.url, transitionType: isTyped ? "typed" : "link" },
      ({ result, error }) => {
        const problem =
          (result?.errorText as string | undefined) ?? error?.message;
        if (problem === undefined) return;
        this.#change({
          loading: false,
          ...(!isHarmless(problem) && { error: describeLoadError(problem) }),
        });
      },
    );
  }

  reload(): void {
    this.#change({ error: null, loading: true });
    this.#session.post("Page.reload", {}, ({ error }) => {
      if (error) this.#change({ loading: false });
    });
  }

  stop(): void {
    this.#session.post("Page.stopLoading");
  }

  /** Goes back (-1) or forward (1) if there is such a page. */
  async step(by: -1 | 1): Promise<void> {
    const { entries, currentIndex } = await this.#readHistory();
    const entry = entries[currentIndex + by];
    if (entry)
      await this.#session.call("Page.navigateToHistoryEntry", {
        entryId: entry.id,
      });
  }

  /** Whether the page has crashed and was not reloaded since. Resets the flag. */
  takeCrash(): boolean {
    const isCrashed = this.#isCrashed;
    this.#isCrashed = false;
    return isCrashed;
  }

  #setLoading(loading: boolean): void {
    this.#change({ loading });
    // Enabled only to learn why a load fails; other traffic, such as WebSocket messages, is dropped.
    if (loading) this.#session.post("Network.enable", NOTHING_KEPT);
    else this.#session.post("Network.disable");
  }

  #navigated({ id, parentId, url, unreachableUrl, urlFragment = "" }: Frame) {
    if (parentId !== undefined) return;
    this.#session.mainFrameId = id;
    if (unreachableUrl === undefined) {
      this.#change({ error: null });
      this.#arrived(url + urlFragment);
    } else {
      const error = describeLoadError(this.#lastDocumentError);
      this.#change({ url: unreachableUrl, title: "", error });
      this.refresh();
    }
    this.#lastDocumentError = undefined;
  }

  #arrived(url: string): void {
    this.#change({ url });
    this.#onArrival({ url, typed: this.#isTyped });
    this.#isTyped = false;
    this.refresh();
  }

  /** Reads the tab's history position and title: Chromium sends no event when a page changes its title. */
  refresh(): void {
    this.#session.post("Page.getNavigationHistory", {}, ({ result }) => {
      if (!result) return;
      const { entries, currentIndex } = result as unknown as HistoryList;
      // The first history entry of a tab that was opened with an address is the empty page.
      const first = entries[0]?.url === "about:blank" ? 1 : 0;
      const current = entries[currentIndex];
      this.#change({
        canGoBack: currentIndex > first,
        canGoForward: currentIndex < entries.length - 1,
        ...(current && { title: toTitle(current) }),
      });
      if (current) this.#onTitle(current.url, toTitle(current));
    });
  }

  #readHistory(): Promise<HistoryList> {
    return this.#session.call<HistoryList>("Page.getNavigationHistory");
  }
}

interface Frame {
  id: string;
  parentId?: string;
  url: string;
  urlFragment?: string;
  /** Set on the error page that Chromium shows when it cannot load an address. */
  unreachableUrl?: string;
}

interface HistoryList {
  currentIndex: number;
  entries: HistoryEntry[];
}

interface HistoryEntry {
  id: number;
  url: string;
  title: string;
}

/** For a page without a title Chromium reports the address without its scheme. */
function toTitle({ url, title }: HistoryEntry): string {
  const bare = (text: string) =>
    text.replace(/^https?:\/\//, "").replace(/\/$/, "");
  return bare(title) === bare(url) ? "" : title;
}
