import { AgentTabs } from "./agent-tabs.ts";
import type { AgentTab } from "./agent-tabs.ts";
import { DialogIsOpen } from "./dialog-is-open.ts";
import { GuardClient } from "./guard-client.ts";
import type { GuardConnection, GuardMessage } from "./guard-client.ts";
import { ToolProblem } from "./tool-problem.ts";

/** Dependencies of {@link PageSessions}. */
export interface SessionsHost {
  /** Whether the agent may open tabs of its own. */
  mayOpenTabs(): boolean;
  /** Called when a call uses a tab. */
  onUse(targetId: string): void;
  /** The current tab shows another page, or another tab became current. */
  onPageChanged(): void;
}

/** The connections of an agent to browsers, and the protocol sessions of its tabs and their frames. */
export class PageSessions {
  readonly tabs: AgentTabs;
  readonly #host: SessionsHost;
  /** The connection to the agent's own browser first, then those to browsers in which it was lent a tab. */
  readonly #clients = new Set<GuardClient>();
  readonly #clientOf = new Map<string, GuardClient>();
  readonly #onDialog = new Set<(tab: AgentTab) => void>();

  constructor(host: SessionsHost) {
    this.#host = host;
    this.tabs = new AgentTabs({
      onFrame: (sessionId) => void this.#attachFrames(sessionId),
      onPageChanged: () => host.onPageChanged(),
      onDialog: (tab) => this.#onDialog.forEach((tell) => tell(tab)),
    });
  }

  /** Connects the agent to a browser, with its tabs there. Returns a function that disconnects it. */
  async join(
    connect: (send: (message: GuardMessage) => void) => GuardConnection,
  ): Promise<() => void> {
    const client: GuardClient = new GuardClient(connect, (event) => {
      if (event.method === "Target.attachedToTarget")
        this.#clientOf.set(String(event.params["sessionId"]), client);
      this.tabs.take(event);
    });
    this.#clients.add(client);
    const leave = () => this.#leave(client);
    try {
      await client.call("Target.setAutoAttach", {
        autoAttach: true,
        waitForDebuggerOnStart: true,
        flatten: true,
      });
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Returns the current tab when it is ready to use; opens one if there is none. */
  async tab(): Promise<AgentTab> {
    if (!this.tabs.current) await this.#openTab();
    const tab = this.tabs.current;
    if (!tab) throw new ToolProblem("The tab was closed. Try again.");
    tab.prepared ??= this.#prepare(tab);
    await tab.prepared;
    this.#host.onUse(tab.targetId);
    return tab;
  }

  /** Makes one call to a session. */
  async send<Result>(
    method: string,
    params: Record<string, unknown>,
    sessionId: string,
    signal?: AbortSignal,
  ): Promise<Result> {
    const client = this.#clientOf.get(sessionId);
    if (!client) throw new ToolProblem("The tab was closed. Try again.");
    return await client.call<Result>(method, params, sessionId, signal);
  }

  /**
   * Runs a call that a page cannot answer while a dialog is open; the signal passed to `work` aborts when one opens.
   *
   * @throws DialogIsOpen
   */
  async unlessDialog<Result>(
    tab: AgentTab,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    if (tab.dialog) throw new DialogIsOpen(tab.dialog);
    const leaving = new AbortController();
    const onDialog = (where: AgentTab) => {
      if (where === tab && tab.dialog)
        leaving.abort(new DialogIsOpen(tab.dialog));
    };
    this.#onDialog.add(onDialog);
    try {
      return await work(leaving.signal);
    } finally {
      this.#onDialog.delete(onDialog);
    }
  }

  /** @throws ToolProblem for a tab that was lent */
  async closeTab(): Promise<void> {
    const { sessionId, targetId } = await this.tab();
    await this.#clientOf
      .get(sessionId)
      ?.call("Target.closeTarget", { targetId });
  }

  #leave(client: GuardClient): void {
    client.close();
    this.#clients.delete(client);
    for (const [sessionId, one] of this.#clientOf) {
      if (one !== client) continue;
      this.#clientOf.delete(sessionId);
      this.tabs.take({
        method: "Target.detachedFromTarget",
        params: { sessionId },
        sessionId: undefined,
      });
    }
  }

  async #openTab(): Promise<void> {
    if (!this.#host.mayOpenTabs())
      throw new ToolProblem(
        "You have no tab. You may read tabs that the user lends to you, and open none.",
      );
    const [own] = this.#clients;
    if (!own) throw new ToolProblem("The browser is closed. Try again.");
    const { targetId } = await own.call<{ targetId: string }>(
      "Target.createTarget",
      { url: "about:blank" },
    );
    if (!this.tabs.has(targetId))
      await own.call("Target.attachToTarget", { targetId, flatten: true });
  }

  async #prepare({ sessionId }: AgentTab): Promise<void> {
    await this.send("Page.enable", {}, sessionId);
    await this.#attachFrames(sessionId);
  }

  /** Auto-attaches to the frames of other sites in a page or frame. */
  async #attachFrames(sessionId: string): Promise<void> {
    const options = { autoAttach: true, waitForDebuggerOnStart: false };
    const params = { ...options, flatten: true };
    await this.send("Target.setAutoAttach", params, sessionId).catch(() => {
      // The frame is gone; the rest of the page can still be read.
    });
  }
}
