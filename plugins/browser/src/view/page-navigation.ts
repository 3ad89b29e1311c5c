import type { ProtocolEvent } from "../protocol/protocol-connection.ts";
import { toLine } from "../records/texts.ts";
import type { TabPart, TabSession } from "./tab-session.ts";

const MAX_TITLE_LENGTH = 500;

/** What is known of the loading and the history of a page. */
export interface NavigationState {
  title: string;
  loading: boolean;
  canGoBack: boolean;
  canGoForward: boolean;
}

interface HistoryList {
  currentIndex: number;
  entries: { id: number; url: string; title: string }[];
}

/** Loading and history of one tab. */
export class PageNavigation implements TabPart {
  readonly #session: TabSession;
  readonly #onChange: () => void;
  #state: NavigationState = {
    ...{ title: "", loading: false, canGoBack: false, canGoForward: false },
  };

  constructor(session: TabSession, onChange: () => void) {
    this.#session = session;
    this.#onChange = onChange;
  }

  get state(): NavigationState {
    return this.#state;
  }

  take({ method, params }: ProtocolEvent): void {
    const isMain = params["frameId"] === this.#session.targetId;
    if (method === "Page.frameStartedLoading" && isMain)
      this.#change({ loading: true });
    if (method === "Page.frameStoppedLoading" && isMain)
      this.#change({ loading: false });
    if (
      /^Page\.(frameStoppedLoading|frameNavigated|navigatedWithinDocument|domContentEventFired)$/.test(
        method,
      )
    )
      this.refresh();
  }

  reload(): void {
    this.#session.post("Page.reload");
  }

  stop(): void {
    this.#session.post("Page.stopLoading");
  }

  /** Goes back (-1) or forward (1) if there is such a page. */
  async step(by: -1 | 1): Promise<void> {
    const { entries, currentIndex } = await this.#session.call<HistoryList>(
      "Page.getNavigationHistory",
    );
    const entry = entries[currentIndex + by];
    if (entry)
      await this.#session.call("Page.navigateToHistoryEntry", {
        entryId: entry.id,
      });
  }

  /** Reads position and title: Chromium sends no event when a page changes its title. */
  refresh(): void {
    this.#session.post("Page.getNavigationHistory", {}, ({ result }) => {
      if (!result) return;
      const { entries, currentIndex } = result as unknown as HistoryList;
      this.#change({
        title: toLine(
          (entries[currentIndex]?.title ?? "").slice(0, 2 * MAX_TITLE_LENGTH),
          MAX_TITLE_LENGTH,
        ),
        canGoBack: currentIndex > 0,
        canGoForward: currentIndex < entries.length - 1,
      });
    });
  }

  #change(change: Partial<NavigationState>): void {
    this.#state = { ...this.#state, ...change };
    this.#onChange();
  }
}
