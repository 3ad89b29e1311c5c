import type { BrowserMessage } from "../contract.ts";
import type {
  ProtocolAnswer,
  ProtocolEvent,
} from "../protocol/protocol-connection.ts";
import type { Tier } from "../records/schemas.ts";
import type { AgentCall } from "./agent-call.ts";
import { AgentSession } from "./agent-session.ts";
import type { GuardConnection, GuardCore } from "./guard-core.ts";
import { mayReceive } from "./may-receive.ts";
import { hasTier } from "./judge-call.ts";
import type { TargetInfo } from "./target-registry.ts";
import { toVisibleEvent } from "./visible-event.ts";

/** Sessions of one connection, those of frames and workers included. */
export const MAX_SESSIONS = 500;

const REFUSED = -32_000;

/** One connection of an agent: its sessions, its calls and its events. */
export class AgentConnection implements GuardConnection {
  readonly core: GuardCore;
  readonly agentId: string;
  readonly sessions = new Map<string, AgentSession>();
  /** Number of calls to the browser that Chromium has not answered. */
  pendingCalls = 0;
  /** Whether tabs are attached to automatically, as `Target.setAutoAttach` requested. */
  isAttaching = false;
  /** Whether it receives events about its tabs, as `Target.setDiscoverTargets` requested. */
  isDiscovering = false;
  readonly #send: (message: BrowserMessage) => void;
  readonly #attached = new Set<string>();
  #tier: Tier;
  #isClosed = false;

  constructor(
    core: GuardCore,
    agentId: string,
    send: (message: BrowserMessage) => void,
  ) {
    this.core = core;
    this.agentId = agentId;
    this.#send = send;
    this.#tier = core.options.rulesOf(agentId).tier;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether it has attached to a tab, or is about to. */
  has(tabId: string): boolean {
    return this.#attached.has(tabId);
  }

  send(message: BrowserMessage): void {
    if (!this.#isClosed) this.#send(message);
  }

  /** The session that a call names, if it is one of this connection. */
  sessionOf({ sessionId }: AgentCall): AgentSession | undefined {
    return typeof sessionId === "string"
      ? this.sessions.get(sessionId)
      : undefined;
  }

  /** Sends a call that is allowed, and passes its answer on in the turn in which it arrives. */
  post(call: AgentCall, session?: AgentSession): void {
    const { method, params } = call;
    this.allow(call);
    this.request(method, params, session, (answer) => {
      session?.learnNodes(method, answer.result);
      this.answer(call, answer);
    });
  }

  /** Sends a call that counts as unanswered until `done` is called. */
  request(
    method: string,
    params: object,
    session: AgentSession | undefined,
    done: (answer: ProtocolAnswer) => void,
  ): void {
    const counted = session ?? this;
    counted.pendingCalls += 1;
    this.core.protocol.post(method, params, session?.sessionId, (answer) => {
      counted.pendingCalls -= 1;
      done(answer);
    });
  }

  answer({ id, sessionId }: AgentCall, answer: ProtocolAnswer): void {
    this.send({
      id,
      ...(typeof sessionId === "string" ? { sessionId } : {}),
      ...(answer.error
        ? { error: answer.error }
        : { result: answer.result ?? {} }),
    });
  }

  /** Records that a call was allowed. */
  allow({ method }: AgentCall): void {
    const { agentId } = this;
    this.core.record({ agentId, method, verdict: "allowed", reason: null });
  }

  /** Records that a call was refused, and answers it. */
  refuse(call: AgentCall, reason: string): void {
    const { agentId } = this;
    const { method } = call;
    this.core.record({ agentId, method, verdict: "refused", reason });
    this.answer(call, {
      error: { code: REFUSED, message: `Gantry: ${reason}` },
    });
  }

  /** Attaches to a tab of the agent. `done` gets the id of the session, or a message that says why there is none. */
  attach(
    targetId: string,
    done: (sessionId: string | undefined, problem: string) => void,
  ): void {
    if (this.sessions.size + this.pendingCalls >= MAX_SESSIONS)
      return done(undefined, `${MAX_SESSIONS} sessions are open, the limit`);
    this.#attached.add(targetId);
    const params = { targetId, flatten: true };
    this.request(
      "Target.attachToTarget",
      params,
      undefined,
      ({ result, error }) => {
        const sessionId = result?.["sessionId"];
        const info = this.core.registry.get(targetId);
        if (typeof sessionId !== "string" || !info || this.#isClosed) {
          this.#attached.delete(targetId);
          if (typeof sessionId === "string") this.#detach(sessionId);
          return done(undefined, error?.message ?? "the tab is gone");
        }
        this.sessions.set(sessionId, new AgentSession(sessionId, targetId));
        const targetInfo = { ...info, attached: true };
        this.send({
          method: "Target.attachedToTarget",
          params: { sessionId, targetInfo, waitingForDebugger: false },
        });
        done(sessionId, "");
      },
    );
  }

  /** Attaches to a tab if the agent requested it for all, and the connection has not attached to it yet. */
  autoAttach(targetId: string, done: () => void = () => {}): void {
    if (!this.isAttaching || this.#attached.has(targetId)) return done();
    this.attach(targetId, done);
  }

  /** Ends a session that Chromium has reported as detached, with those below it. */
  detached(sessionId: string): void {
    const session = this.sessions.get(sessionId);
    if (!session) return;
    for (const child of [...this.sessions.values()])
      if (child.parent === session) this.detached(child.sessionId);
    this.sessions.delete(sessionId);
    const { targetId, parent } = session;
    if (!parent) this.#attached.delete(targetId);
    this.send({
      method: "Target.detachedFromTarget",
      params: { sessionId, targetId },
      ...(parent ? { sessionId: parent.sessionId } : {}),
    });
  }

  forgetNodes(targetId: string): void {
    for (const session of this.sessions.values())
      if (session.targetId === targetId) session.forgetNodes();
  }

  /** Takes an event about a tab of the agent. */
  takeOfTarget({ method, params }: ProtocolEvent): void {
    if (this.isDiscovering) this.send({ method, params });
  }

  /** Forwards an event if its session is one of this connection. */
  forward(event: ProtocolEvent, sessionId: string): void {
    const session = this.sessions.get(sessionId);
    if (!session) return;
    const { method, params } = event;
    session.learnRequest(event);
    session.learnNodes(method, params);
    if (method === "Target.detachedFromTarget")
      return this.detached(String(params["sessionId"]));
    if (
      method === "Target.attachedToTarget" &&
      !this.#takeChild(event, session)
    )
      return;
    if (!mayReceive(this.core, this.agentId, event, session)) return;
    const { tier } = this.core.options.rulesOf(this.agentId);
    const visible = toVisibleEvent(event, tier);
    if (visible) this.send({ ...visible });
  }

  /** Ends all sessions if the agent has a lower tier than before, with what they have switched on in pages. */
  reviewTier(): void {
    const { tier } = this.core.options.rulesOf(this.agentId);
    const isLower = !hasTier(tier, this.#tier);
    this.#tier = tier;
    if (isLower) this.#detachAll();
  }

  /** Detaches from all targets. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#detachAll();
  }

  /** Takes the session of a frame or worker. Returns whether the agent gets it. */
  #takeChild({ params }: ProtocolEvent, parent: AgentSession): boolean {
    const { sessionId, targetInfo } = params as {
      sessionId: string;
      targetInfo: TargetInfo;
    };
    const isTooMany = this.sessions.size >= MAX_SESSIONS;
    const { protocol } = this.core;
    // A worklet that is paused while its page ends hangs the page, and few clients handle worklets.
    if (isTooMany || targetInfo.type.endsWith("worklet"))
      protocol.post("Runtime.runIfWaitingForDebugger", {}, sessionId);
    if (isTooMany) {
      this.#detach(sessionId, parent);
      return false;
    }
    const { targetId } = targetInfo;
    this.sessions.set(sessionId, new AgentSession(sessionId, targetId, parent));
    return true;
  }

  #detachAll(): void {
    for (const { sessionId, parent } of this.sessions.values())
      // Sessions of frames and workers end with the one of their tab.
      if (!parent) this.#detach(sessionId);
    if (this.#isClosed) this.sessions.clear();
  }

  #detach(sessionId: string, parent?: AgentSession): void {
    const method = "Target.detachFromTarget";
    this.core.protocol.post(method, { sessionId }, parent?.sessionId);
  }
}
