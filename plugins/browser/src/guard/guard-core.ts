import type { BrowserMessage } from "../contract.ts";
import type { AgentRules, RefreshRules } from "../fence/agent-rules.ts";
import { judgeDocumentUrl, judgeUrl } from "../fence/judge-site.ts";
import type { GantryAddress, Refusal } from "../fence/rules.ts";
import type {
  ProtocolConnection,
  ProtocolEvent,
} from "../protocol/protocol-connection.ts";
import type { AuditInput } from "../records/audit.ts";
import { toLine } from "../records/texts.ts";
import { OwnSessions } from "./own-sessions.ts";
import { TargetRegistry } from "./target-registry.ts";
import type { TargetInfo } from "./target-registry.ts";

const MAX_METHOD_LENGTH = 200;
const MAX_REASON_LENGTH = 500;

/** Dependencies of a guard. */
export interface GuardOptions {
  protocol: ProtocolConnection;
  /** What an agent may do; read for each call. */
  rulesOf: AgentRules;
  /** Makes the rules current before an address is judged that is opened; they always are if it is left out. */
  refresh?: RefreshRules | undefined;
  gantry(): GantryAddress;
  /** Records a call and what was decided. */
  record(entry: AuditInput): void;
  /** Called when a new target runs, which stood still until the guard followed it. */
  onRunning(targetId: string): void;
  /** Copies files that the browser is given and cannot read; it reads them where they are if it is left out. */
  copyFiles?: ((paths: readonly string[]) => Promise<string[]>) | undefined;
  /** Who uses which tab. If it is left out, only agents use tabs. */
  hands?: Hands | undefined;
}

/** Tells who uses a tab. A person who uses it comes before its agent. */
export interface Hands {
  isUserDriving(tabId: string): boolean;
  noteAgent(tabId: string, agentId: string): void;
}

/** The part of an agent's connection that the core uses. */
export interface GuardConnection {
  readonly agentId: string;
  /** Whether it has attached to a tab, or is about to. */
  has(tabId: string): boolean;
  send(message: BrowserMessage): void;
  /** Attaches to a tab if the agent requested it for all. */
  autoAttach(targetId: string): void;
  /** Takes an event about a tab of the agent. */
  takeOfTarget(event: ProtocolEvent): void;
  /** Forwards an event if its session is one of this connection. */
  forward(event: ProtocolEvent, sessionId: string): void;
  /** Ends a session that Chromium has reported as detached. */
  detached(sessionId: string): void;
  /** Forgets the nodes of a target, which shows another document now. */
  forgetNodes(targetId: string): void;
  /** Ends all sessions if the agent has a lower tier than before. */
  reviewTier(): void;
}

/** What all connections of agents to one browser share: its targets with their owners, and the events. */
export class GuardCore {
  readonly options: GuardOptions;
  readonly protocol: ProtocolConnection;
  readonly registry = new TargetRegistry();
  readonly connections = new Set<GuardConnection>();
  readonly own: OwnSessions;
  /** Tabs that Chromium was asked for and has not opened yet. */
  openingTabs = 0;

  constructor(options: GuardOptions) {
    this.options = options;
    this.protocol = options.protocol;
    this.own = new OwnSessions(options.protocol, options.onRunning);
  }

  async start(): Promise<void> {
    this.protocol.onEvent((event) => this.#take(event));
    await this.own.start();
  }

  judgeUrl(agentId: string, url: string): Refusal {
    const { rulesOf, gantry } = this.options;
    return judgeUrl(url, rulesOf(agentId).sites, gantry());
  }

  /** Judges the document that a target shows now, with the frames that share its process. */
  judgeDocument(agentId: string, targetId: string): Refusal {
    const { rulesOf, gantry } = this.options;
    const { sites } = rulesOf(agentId);
    const url = this.registry.documentOf(targetId);
    let refusal = judgeDocumentUrl(url, sites, gantry());
    for (const origin of this.registry.frameOrigins(targetId))
      refusal ??= judgeUrl(origin, sites, gantry());
    return refusal;
  }

  record(entry: AuditInput): void {
    this.options.record({
      ...entry,
      // Agents choose names of methods, and pages their addresses.
      method: toLine(entry.method, MAX_METHOD_LENGTH),
      reason: entry.reason && toLine(entry.reason, MAX_REASON_LENGTH),
    });
  }

  /** Gives a new tab to an agent, and notifies its connections. */
  give(targetId: string, agentId: string): void {
    this.registry.setOwner(targetId, agentId);
    const info = this.registry.get(targetId);
    if (info)
      this.#tell(targetId, {
        ...{ method: "Target.targetCreated", params: { targetInfo: info } },
      });
  }

  /** Judges again what agents have open, by the rules of this moment. */
  review(): void {
    for (const connection of this.connections) connection.reviewTier();
    for (const { targetId } of this.registry.targets()) {
      const tabId = this.registry.tabOf(targetId);
      const agentId = this.registry.ownerOf(tabId);
      const refusal =
        agentId === undefined ? null : this.judgeDocument(agentId, targetId);
      if (refusal !== null) this.#empty(tabId, targetId, refusal);
    }
  }

  #take(event: ProtocolEvent): void {
    const { method, params, sessionId } = event;
    if (sessionId === undefined) this.#takeOfBrowser(event);
    else this.#takeOfOwnSession(event, this.own.targetOf(sessionId));
    for (const connection of this.connections)
      if (sessionId !== undefined) connection.forward(event, sessionId);
      else if (method === "Target.detachedFromTarget")
        connection.detached(String(params["sessionId"]));
  }

  #takeOfBrowser(event: ProtocolEvent): void {
    const { method, params } = event;
    switch (method) {
      case "Target.targetCreated":
        return this.#targetCreated(event);
      case "Target.targetInfoChanged": {
        const { targetInfo } = params as { targetInfo: TargetInfo };
        this.registry.set(targetInfo);
        return this.#tell(targetInfo.targetId, event);
      }
      case "Target.targetDestroyed": {
        const targetId = String(params["targetId"]);
        this.#tell(targetId, event);
        return this.registry.delete(targetId);
      }
      case "Target.attachedToTarget":
        return this.#attached(event);
      case "Target.detachedFromTarget":
        return this.own.detached(String(params["sessionId"]));
      default:
        return;
    }
  }

  #targetCreated({ params }: ProtocolEvent): void {
    const { targetInfo } = params as { targetInfo: TargetInfo };
    const { targetId, type, openerId } = targetInfo;
    this.registry.set(targetInfo);
    if (type !== "page" || openerId === undefined) return;
    // A popup belongs to the agent of the page that opened it.
    const opener = this.registry.ownerOf(openerId);
    if (opener !== undefined) this.give(targetId, opener);
  }

  #attached(event: ProtocolEvent): void {
    const { targetInfo } = event.params as { targetInfo: TargetInfo };
    this.registry.set(targetInfo);
    this.own.attached(event, () => {
      for (const connection of this.#connectionsOf(targetInfo.targetId))
        connection.autoAttach(targetInfo.targetId);
    });
  }

  /** The guard's own sessions report which documents are shown, whether or not an agent listens. */
  #takeOfOwnSession(
    { method, params, ...event }: ProtocolEvent,
    targetId: string | undefined,
  ): void {
    if (targetId === undefined) return;
    switch (method) {
      case "Target.attachedToTarget": {
        const { targetInfo } = params as { targetInfo: TargetInfo };
        this.registry.set(targetInfo);
        this.registry.setParent(targetInfo.targetId, targetId);
        return this.own.attached({ method, params, ...event }, () => {});
      }
      case "Target.detachedFromTarget":
        return this.own.detached(String(params["sessionId"]));
      case "Page.frameNavigated": {
        const { frame } = params as { frame: { id: string; url: string } };
        return this.#navigated(targetId, frame.id, frame.url);
      }
      case "Page.frameDetached":
        return this.registry.deleteFrame(targetId, String(params["frameId"]));
      default:
        return;
    }
  }

  #navigated(targetId: string, frameId: string, url: string): void {
    if (frameId === targetId) {
      this.registry.clearFrames(targetId);
      for (const connection of this.connections)
        connection.forgetNodes(targetId);
    }
    this.registry.setDocument(targetId, frameId, url);
    const agentId = this.registry.ownerOf(targetId);
    if (agentId === undefined) return;
    const refusal = this.judgeDocument(agentId, targetId);
    if (refusal !== null) this.#empty(targetId, targetId, refusal);
  }

  /** Empties a tab because of what it, or a frame in it, shows. */
  #empty(tabId: string, targetId: string, reason: string): void {
    const url = this.registry.documentOf(targetId);
    const agentId = this.registry.ownerOf(tabId) ?? "";
    this.record({
      ...{ agentId, method: "Page.frameNavigated", verdict: "refused", reason },
    });
    for (const connection of this.#connectionsOf(tabId))
      connection.send({
        method: "Gantry.tabEmptied",
        params: { targetId: tabId, url, reason },
      });
    this.protocol.post(
      "Page.navigate",
      { url: "about:blank" },
      this.own.sessionOf(tabId),
    );
  }

  #tell(targetId: string, event: ProtocolEvent): void {
    for (const connection of this.#connectionsOf(targetId))
      connection.takeOfTarget(event);
  }

  #connectionsOf(tabId: string): GuardConnection[] {
    const owner = this.registry.ownerOf(tabId);
    return [...this.connections].filter(({ agentId }) => agentId === owner);
  }
}
