import type { OpenDialog } from "./dialog-is-open.ts";
import type { GuardEvent } from "./guard-client.ts";
import type { PageNode } from "./refs.ts";
import { ToolProblem } from "./tool-problem.ts";

/** A tab of an agent. */
export interface AgentTab {
  readonly targetId: string;
  readonly sessionId: string;
  /** Resolves when the tab is ready to use; missing once it is. */
  prepared?: Promise<void>;
  /** Ids of frames that are loading. */
  readonly loading: Set<string>;
  dialog: OpenDialog | null;
  /** An address that the tab showed and may not show (any more), and the reason; reported once. */
  refused: { url: string; reason: string } | null;
  /** Frames of other sites by id, which is also the id of their target. */
  readonly frames: Map<string, string>;
  /** The elements that contain these frames, by the frames' sessions. */
  readonly frameOwners: Map<string, PageNode>;
}

/** Frames of other sites that are read in one tab; further ones are skipped. */
const MAX_FRAMES = 50;

/** What {@link AgentTabs} calls back. */
export interface TabsHost {
  /** A frame of another site was added to a tab; the listener attaches to the frames inside it. */
  onFrame(sessionId: string): void;
  /** The current tab shows another page, or another tab became current. */
  onPageChanged(): void;
  onDialog(tab: AgentTab): void;
}

/**
 * The tabs of one agent, kept up to date by the events of its connection. The newest tab is current, as in any browser.
 */
export class AgentTabs {
  readonly #tabs = new Map<string, AgentTab>();
  /** The tab that each session of a frame belongs to. */
  readonly #byFrame = new Map<string, { tab: AgentTab; frameId: string }>();
  readonly #host: TabsHost;
  #current: AgentTab | undefined;

  constructor(host: TabsHost) {
    this.#host = host;
  }

  get current(): AgentTab | undefined {
    return this.#current;
  }

  get count(): number {
    return this.#tabs.size;
  }

  /** Number of the current tab, from 1. */
  get position(): number {
    return [...this.#tabs.values()].indexOf(this.#current as AgentTab) + 1;
  }

  has(targetId: string): boolean {
    return [...this.#tabs.values()].some((tab) => tab.targetId === targetId);
  }

  /** @throws ToolProblem if there is no such tab */
  show(position: number): void {
    const tab = [...this.#tabs.values()][position - 1];
    if (!tab)
      throw new ToolProblem(
        `There is no tab ${position}; you have ${this.count}.`,
      );
    if (tab !== this.#current) this.#host.onPageChanged();
    this.#current = tab;
  }

  take({ method, params, sessionId }: GuardEvent): void {
    switch (method) {
      case "Target.attachedToTarget":
        return this.#attached(params, sessionId);
      case "Target.detachedFromTarget":
        return this.#detached(String(params["sessionId"]));
      case "Target.targetDestroyed":
        for (const tab of this.#tabs.values())
          if (tab.targetId === params["targetId"])
            this.#detached(tab.sessionId);
        return;
      case "Gantry.tabEmptied":
        return this.#refused(params);
      default:
        if (sessionId !== undefined) this.#happened(method, params, sessionId);
    }
  }

  #attached(params: Record<string, unknown>, parent: string | undefined): void {
    const sessionId = String(params["sessionId"]);
    const { targetId, type } = params["targetInfo"] as {
      targetId: string;
      type: string;
    };
    if (type === "iframe")
      return this.#attachFrame(sessionId, targetId, parent);
    if (type !== "page" || this.has(targetId)) return;
    const tab: AgentTab = {
      targetId,
      sessionId,
      loading: new Set(),
      dialog: null,
      refused: null,
      frames: new Map(),
      frameOwners: new Map(),
    };
    this.#tabs.set(sessionId, tab);
    this.#current = tab;
    this.#host.onPageChanged();
  }

  #refused(params: Record<string, unknown>): void {
    const tab = [...this.#tabs.values()].find(
      ({ targetId }) => targetId === params["targetId"],
    );
    const { url, reason } = params;
    if (tab) tab.refused = { url: String(url), reason: String(reason) };
  }

  #attachFrame(
    sessionId: string,
    frameId: string,
    parent: string | undefined,
  ): void {
    if (parent === undefined) return;
    const tab = this.#tabs.get(parent) ?? this.#byFrame.get(parent)?.tab;
    if (!tab || tab.frames.size >= MAX_FRAMES) return;
    tab.frames.set(frameId, sessionId);
    this.#byFrame.set(sessionId, { tab, frameId });
    this.#host.onFrame(sessionId);
  }

  #detached(sessionId: string): void {
    const frame = this.#byFrame.get(sessionId);
    if (frame) {
      this.#byFrame.delete(sessionId);
      if (frame.tab.frames.get(frame.frameId) === sessionId)
        frame.tab.frames.delete(frame.frameId);
    }
    const tab = this.#tabs.get(sessionId);
    if (!tab) return;
    this.#tabs.delete(sessionId);
    for (const one of tab.frames.values()) this.#byFrame.delete(one);
    if (this.#current !== tab) return;
    this.#current = [...this.#tabs.values()].at(-1);
    this.#host.onPageChanged();
  }

  #happened(
    method: string,
    params: Record<string, unknown>,
    sessionId: string,
  ): void {
    const tab = this.#tabs.get(sessionId) ?? this.#byFrame.get(sessionId)?.tab;
    if (!tab) return;
    if (method === "Page.frameStartedLoading")
      tab.loading.add(String(params["frameId"]));
    else if (
      method === "Page.frameStoppedLoading" ||
      method === "Page.frameDetached"
    )
      tab.loading.delete(String(params["frameId"]));
    else if (method === "Page.javascriptDialogOpening") {
      tab.dialog = {
        type: String(params["type"]),
        message: String(params["message"]),
      };
      this.#host.onDialog(tab);
    } else if (method === "Page.javascriptDialogClosed") tab.dialog = null;
    else if (method === "Page.frameNavigated" && sessionId === tab.sessionId) {
      const { parentId } = params["frame"] as { parentId?: string };
      if (parentId === undefined && tab === this.#current)
        this.#host.onPageChanged();
    }
  }
}
