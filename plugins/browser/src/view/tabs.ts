import type { Tab } from "./tab.ts";

/** The tabs of one running browser. */
export interface Tabs {
  list(): Tab[];
  get(id: string): Tab | undefined;
  /**
   * Opens a tab and, if there is an address, starts loading it.
   *
   * @throws `BROWSER_TAB_LIMIT` (409), `BROWSER_ADDRESS_INVALID` (422), `BROWSER_GONE` (502)
   */
  open(input: { url?: string | undefined; agentId?: string }): Promise<Tab>;
  /** @throws `BROWSER_TAB_NOT_FOUND` (404) */
  close(id: string): void;
  /** Lends a tab to an agent, or takes it back with `null`. @throws `BROWSER_TAB_NOT_FOUND` (404) */
  lend(id: string, agentId: string | null): Tab;
  /** Whether the user is using this tab, so that an agent's input has to wait. */
  isUserDriving(id: string): boolean;
  /** Records that an agent uses the tab, so that viewers see it. */
  noteAgent(id: string, agentId: string): void;
  /**
   * Calls back after each change of a tab, and when one is opened or closed. Returns a function that removes the
   * listener.
   */
  onChange(
    listener: (change: { id: string; tab: Tab | null }) => void,
  ): () => void;
}

/** Prepares new pages and knows their owners: the guard of one browser. */
export interface TargetOwner {
  /**
   * Calls back for each new page while it is paused. Calls posted to it are processed before the page runs.
   *
   * @param prepare Receives the target and a session of ours on it.
   */
  onNewTarget(
    prepare: (
      target: { targetId: string; type: string; url: string; title: string },
      sessionId: string,
    ) => void,
  ): () => void;
  ownerOf(targetId: string): string | undefined;
  lend(targetId: string, agentId: string | null): void;
}
