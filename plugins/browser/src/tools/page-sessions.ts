import { AgentTabs } from "./agent-tabs.ts";
import type { AgentTab } from "./agent-tabs.ts";
import { DialogIsOpen } from "./dialog-is-open.ts";
import { GuardClient } from "./guard-client.ts";
import type { ConnectGuard } from "./guard-client.ts";
import { ToolProblem } from "./tool-problem.ts";

/** Dependencies of {@link PageSessions}. */
export interface SessionsHost {
  /** Whether the agent may open tabs. */
  mayOpenTabs(): boolean;
  /** The current tab shows another page, or another tab became current. */
  onPageChanged(): void;
}

/** The connection of an agent to its browser, and the protocol sessions of its tabs and their frames. */
export class PageSessions {
  readonly #host: SessionsHost;
  readonly #onDialog = new Set<(tab: AgentTab) => void>();
  #client: GuardClient | undefined;
  #tabs: AgentTabs;

  constructor(host: SessionsHost) {
    this.#host = host;
    this.#tabs = this.#createTabs();
  }

  /** The agent's tabs in the browser that it is connected to. */
  get tabs(): AgentTabs {
    return this.#tabs;
  }

  /** Connects the agent to a browser, with its tabs there. Returns a function that disconnects it. */
  async join(connect: ConnectGuard): Promise<() => void> {
    const tabs = this.#createTabs();
    const client = new GuardClient(connect, (event) => tabs.take(event));
    const leave = () => {
      client.close();
      if (this.#client === client) this.#client = undefined;
    };
    this.#client = client;
    this.#tabs = tabs;
    this.#host.onPageChanged();
    try {
      await client.call("Target.setAutoAttach", {
        ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
      });
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  /** Returns the current tab when it is ready to use; opens one if there is none. */
  async tab(): Promise<AgentTab> {
    if (!this.#tabs.current) await this.#openTab();
    const tab = this.#tabs.current;
    if (!tab) throw new ToolProblem("The tab was closed. Try again.");
    tab.prepared ??= this.#prepare(tab);
    await tab.prepared;
    return tab;
  }

  /** Makes one call to a session. */
  async send<Result>(
    method: string,
    params: Record<string, unknown>,
    sessionId: string,
    signal?: AbortSignal,
  ): Promise<Result> {
    return await this.#connected().call<Result>(
      method,
      params,
      sessionId,
      signal,
    );
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

  async closeTab(): Promise<void> {
    const { targetId } = await this.tab();
    await this.#connected().call("Target.closeTarget", { targetId });
  }

  #createTabs(): AgentTabs {
    return new AgentTabs({
      onFrame: (sessionId) => void this.#attachFrames(sessionId),
      onPageChanged: () => this.#host.onPageChanged(),
      onDialog: (tab) => this.#onDialog.forEach((notify) => notify(tab)),
    });
  }

  #connected(): GuardClient {
    if (!this.#client) throw new ToolProblem("The browser ended. Call again.");
    return this.#client;
  }

  async #openTab(): Promise<void> {
    if (!this.#host.mayOpenTabs())
      throw new ToolProblem(
        "You have no tab, and you may read pages but not open them. The user can open a tab for you on the page Browser.",
      );
    const client = this.#connected();
    const { targetId } = await client.call<{ targetId: string }>(
      ...(["Target.createTarget", { url: "about:blank" }] as const),
    );
    if (!this.#tabs.has(targetId))
      await client.call("Target.attachToTarget", { targetId, flatten: true });
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
