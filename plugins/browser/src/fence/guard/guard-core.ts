import type {
  ProtocolAnswer,
  ProtocolConnection,
  ProtocolEvent,
} from "../../protocol/protocol-connection.ts";
import { judgeDocumentUrl, judgeUrl } from "../judge-site.ts";
import type { Refusal } from "../policy.ts";
import type { AgentMessage } from "./agent-message.ts";
import type { GuardOptions } from "./guard-options.ts";
import type { LeftTab } from "./left-tab.ts";
import { Preparation } from "./preparation.ts";
import { TargetRegistry } from "./target-registry.ts";
import type { TabOwner, TargetInfo } from "./target-registry.ts";

/** Tabs that one agent may have, including popups. */
export const MAX_TABS = 12;

/** What the core tells a connection of an agent. */
export interface CoreListener {
  readonly agentId: string;
  send(message: AgentMessage): void;
  /** The agent was given a tab. */
  gained(targetId: string): void;
  /** A tab was taken from the agent. */
  lost(targetId: string): void;
  /** Attaches to a prepared tab if the agent requested auto-attach. */
  autoAttach(targetId: string): void;
  /** Ends a session that Chromium or the guard reported as detached. */
  detached(sessionId: string): void;
  /** Another document is shown. */
  forgetNodes(targetId: string): void;
  /** Takes an event about a tab of the agent. */
  takeOfTarget(event: ProtocolEvent): void;
  /** Forwards an event if its session belongs to this connection. */
  forwardSessionEvent(event: ProtocolEvent): void;
}

/** State that all connections of agents to one browser share: its targets, their owners, and the events. */
export class GuardCore {
  readonly options: GuardOptions;
  readonly registry = new TargetRegistry();
  readonly connections = new Set<CoreListener>();
  readonly leftListeners = new Set<(left: LeftTab) => void>();
  readonly preparation: Preparation;
  readonly #protocol: ProtocolConnection;

  constructor(options: GuardOptions) {
    this.options = options;
    this.#protocol = options.browser.protocol;
    this.preparation = new Preparation(this.#protocol, options.clock);
  }

  async start(): Promise<void> {
    this.#protocol.onEvent((event) => this.#take(event));
    await this.#protocol.send("Target.setDiscoverTargets", { discover: true });
    await this.#protocol.send("Target.setAutoAttach", {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
    });
  }

  post(
    method: string,
    params: object,
    sessionId?: string,
    done: (answer: ProtocolAnswer) => void = () => {},
  ): void {
    this.#protocol.post(method, params, sessionId, done);
  }

  judgeUrl(agentId: string, url: string): Refusal {
    const { rulesOf, gantry } = this.options;
    return judgeUrl(url, rulesOf(agentId), gantry());
  }

  /** Judges the document that a target shows now. */
  judgeDocument(agentId: string, targetId: string): Refusal {
    const { rulesOf, gantry } = this.options;
    const url = this.registry.documentOf(targetId);
    return judgeDocumentUrl(url, rulesOf(agentId), gantry());
  }

  /** Assigns a tab to an agent and notifies its connections. */
  give(targetId: string, owner: TabOwner): void {
    this.registry.setOwner(targetId, owner);
    for (const connection of this.#connectionsOf(owner.agentId))
      connection.gained(targetId);
  }

  /** Takes a tab from the agent that has it. */
  takeBack(targetId: string): void {
    const owner = this.registry.ownerOf(targetId);
    if (!owner) return;
    this.registry.setOwner(targetId, null);
    for (const connection of this.#connectionsOf(owner.agentId))
      connection.lost(targetId);
  }

  review(): void {
    for (const [targetId] of this.registry.owned())
      this.#checkDocument(targetId);
  }

  #connectionsOf(agentId: string): CoreListener[] {
    return [...this.connections].filter((each) => each.agentId === agentId);
  }

  #take(event: ProtocolEvent): void {
    const { method, params, sessionId } = event;
    const ownTarget = this.preparation.targetOf(sessionId);
    if (sessionId === undefined) this.#takeOfBrowser(event);
    else if (ownTarget !== undefined) this.#takeOfOwnSession(event, ownTarget);
    for (const connection of this.connections) {
      if (sessionId !== undefined) connection.forwardSessionEvent(event);
      else if (method === "Target.detachedFromTarget")
        connection.detached(String(params["sessionId"]));
    }
  }

  #takeOfBrowser(event: ProtocolEvent): void {
    const { method, params } = event;
    switch (method) {
      case "Target.targetCreated":
      case "Target.targetInfoChanged":
        return this.#targetChanged(event);
      case "Target.targetDestroyed": {
        const targetId = String(params["targetId"]);
        this.#tell(targetId, event);
        this.registry.delete(targetId);
        return this.preparation.forget(targetId);
      }
      case "Target.attachedToTarget":
        return this.#attached(event);
      case "Target.detachedFromTarget":
        return this.preparation.detached(String(params["sessionId"]));
      default:
        return;
    }
  }

  #targetChanged(event: ProtocolEvent): void {
    const { targetInfo } = event.params as { targetInfo: TargetInfo };
    const { targetId, type, openerId } = targetInfo;
    this.registry.set(targetInfo);
    const opener =
      openerId === undefined ? undefined : this.registry.ownerOf(openerId);
    const isNewPopup =
      event.method === "Target.targetCreated" && type === "page" && opener;
    if (!isNewPopup) return this.#tell(targetId, event);
    if (this.registry.ownTabs(opener.agentId).length >= MAX_TABS) {
      this.#refuse(opener.agentId, "window.open", `${MAX_TABS} tabs are open`);
      return this.post("Target.closeTarget", { targetId });
    }
    this.registry.setOwner(targetId, { ...opener });
    this.#tell(targetId, event);
  }

  #attached(event: ProtocolEvent): void {
    const { targetInfo } = event.params as { targetInfo: TargetInfo };
    this.registry.set(targetInfo);
    this.preparation.attached(event);
    const { targetId } = targetInfo;
    void this.preparation.whenReady(targetId).then(() => {
      const owner = this.registry.ownerOf(targetId);
      if (owner)
        for (const connection of this.#connectionsOf(owner.agentId))
          connection.autoAttach(targetId);
    });
  }

  /** Events of the guard's own sessions report which documents are shown, whether or not an agent is listening. */
  #takeOfOwnSession(event: ProtocolEvent, targetId: string): void {
    const { method, params } = event;
    if (method === "Target.attachedToTarget") {
      this.registry.set((params as { targetInfo: TargetInfo }).targetInfo);
      this.preparation.attached(event);
    } else if (method === "Target.detachedFromTarget") {
      this.preparation.detached(String(params["sessionId"]));
    } else if (method === "Page.frameNavigated") {
      const { frame } = params as { frame: { id: string; url: string } };
      if (frame.id !== targetId) return;
      this.registry.setDocument(targetId, frame.url);
      for (const connection of this.connections)
        connection.forgetNodes(targetId);
      this.#checkDocument(targetId);
    }
  }

  /** Takes a tab from its agent, or empties it, when it shows something that the agent may not open. */
  #checkDocument(targetId: string): void {
    const owner = this.registry.ownerOf(targetId);
    if (!owner) return;
    const { agentId, isLent } = owner;
    const reason = this.judgeDocument(agentId, targetId);
    if (reason === null) return;
    const url = this.registry.documentOf(targetId);
    this.#refuse(agentId, "Page.frameNavigated", reason);
    const left = { targetId, agentId, url, reason };
    for (const connection of this.#connectionsOf(agentId))
      connection.send({
        method: "Gantry.navigationRefused",
        params: { ...left },
      });
    if (isLent) this.takeBack(targetId);
    else {
      const session = this.preparation.sessionOf(targetId);
      this.post("Page.navigate", { url: "about:blank" }, session);
    }
    for (const listener of this.leftListeners) listener(left);
  }

  #refuse(agentId: string, method: string, reason: string): void {
    this.options.record({ agentId, method, verdict: "refused", reason });
  }

  #tell(targetId: string, event: ProtocolEvent): void {
    const owner = this.registry.ownerOf(targetId);
    if (!owner) return;
    for (const connection of this.#connectionsOf(owner.agentId))
      connection.takeOfTarget(event);
  }
}
