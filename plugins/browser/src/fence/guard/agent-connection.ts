import type {
  ProtocolAnswer,
  ProtocolEvent,
} from "../../protocol/protocol-connection.ts";
import type { CallRefusal } from "../call-refusal.ts";
import type { AgentMessage } from "./agent-message.ts";
import { AgentSession } from "./agent-session.ts";
import { answerCall } from "./answer-call.ts";
import type { CallHost } from "./call-host.ts";
import { CallJudge } from "./call-judge.ts";
import type { AgentCall } from "./call-judge.ts";
import type { CoreListener, GuardCore } from "./guard-core.ts";
import { InputQueue } from "./input-queue.ts";
import { performOnOwnTab } from "./own-tab.ts";
import { sendSpecial } from "./special-calls.ts";
import type { TargetInfo } from "./target-registry.ts";
import { toVisibleEvent } from "./visible-event.ts";

const REFUSED = -32_000;
const INVALID = -32_600;

/** One connection of an agent: its sessions, its calls and its events. */
export class AgentConnection implements CallHost, CoreListener {
  readonly core: GuardCore;
  readonly agentId: string;
  readonly send: (message: AgentMessage) => void;
  readonly sessions = new Map<string, AgentSession>();
  /** Whether tabs are attached to automatically, as `Target.setAutoAttach` requested. */
  isAttaching = false;
  /** Whether it receives events about its tabs, as `Target.setDiscoverTargets` requested. */
  isDiscovering = false;
  readonly #judge: CallJudge;
  readonly #input: InputQueue;
  readonly #attaching = new Map<string, Promise<string>>();
  #isClosed = false;

  constructor(
    core: GuardCore,
    agentId: string,
    send: (message: AgentMessage) => void,
  ) {
    this.core = core;
    this.agentId = agentId;
    this.send = (message) => {
      if (!this.#isClosed) send(message);
    };
    this.#judge = new CallJudge(core, agentId);
    this.#input = new InputQueue(core.options);
  }

  /** Handles one message of the agent. Never throws. */
  take(message: unknown): void {
    if (this.#isClosed) return;
    const call = toCall(message);
    if (typeof call === "string")
      return this.send({
        id: idOf(message),
        error: { code: INVALID, message: call },
      });
    const session =
      typeof call.sessionId === "string"
        ? this.sessions.get(call.sessionId)
        : undefined;
    const verdict = this.#judge.judge(call, session);
    if (verdict.refusal) {
      const refusal = verdict.refusal;
      if (!this.#judge.mayBecomeAllowed(call, refusal))
        return this.refuse(call, refusal);
      return void this.#judge.refresh().then(() => {
        const again = this.#judge.judge(call, session);
        if (again.refusal) this.refuse(call, again.refusal);
        else this.#perform(call, session, again);
      });
    }
    this.#perform(call, session, verdict);
  }

  #perform(
    call: AgentCall,
    session: AgentSession | undefined,
    { handling, params }: { handling: string; params: AgentCall["params"] },
  ): void {
    if (handling === "answer") {
      this.allow(call);
      return answerCall(this, { ...call, params }, session);
    }
    if (handling === "own-tab")
      return performOnOwnTab(this, { ...call, params });
    if (!session) {
      this.allow(call);
      return this.core.post(call.method, params, undefined, (answer) =>
        this.answer(call, answer),
      );
    }
    if (sendSpecial(this, { ...call, params }, session)) return;
    const post = () => this.post({ ...call, params }, session);
    if (!call.method.startsWith("Input.")) return post();
    this.#input.run(session.rootTargetId, post, (reason) =>
      this.refuse(call, { reason, cause: "never" }),
    );
  }

  /** Sends a call that was allowed, and returns answers to the agent in the order in which they arrive. */
  post(call: AgentCall, session: AgentSession): void {
    // The tab may have been taken back while the call was waiting.
    if (this.sessions.get(session.sessionId) !== session)
      return this.refuse(call, { reason: "this tab is gone", cause: "never" });
    this.allow(call);
    this.core.post(call.method, call.params, session.sessionId, (answer) => {
      session.learnNodes(call.method, answer.result);
      this.answer(call, answer);
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

  allow({ method }: AgentCall): void {
    const { agentId } = this;
    this.core.options.record({
      agentId,
      method,
      verdict: "allowed",
      reason: null,
    });
  }

  refuse({ id, method, sessionId }: AgentCall, refusal: CallRefusal): void {
    const { reason } = refusal;
    const { agentId } = this;
    this.core.options.record({ agentId, method, verdict: "refused", reason });
    this.send({
      id,
      ...(typeof sessionId === "string" ? { sessionId } : {}),
      error: { code: REFUSED, message: `Gantry: ${reason}`, data: refusal },
    });
  }

  /** Attaches to a tab; only once unless the agent requests another session. */
  attach(targetId: string, isAsked: boolean): Promise<string> {
    const known = this.#attaching.get(targetId);
    if (known && !isAsked) return known;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    promise.catch(() => {});
    this.#attaching.set(targetId, promise);
    this.core.post(
      "Target.attachToTarget",
      { targetId, flatten: true },
      undefined,
      ({ result, error }) => {
        const sessionId = result?.["sessionId"];
        if (typeof sessionId !== "string") {
          this.#attaching.delete(targetId);
          return reject(new Error(error?.message ?? "It was not attached."));
        }
        const info = this.core.registry.get(targetId);
        if (this.#isClosed || !info || !this.#isOwn(targetId)) {
          this.core.post("Target.detachFromTarget", { sessionId });
          return reject(new Error("This tab is gone."));
        }
        this.sessions.set(
          sessionId,
          new AgentSession(sessionId, targetId, targetId),
        );
        this.send({
          method: "Target.attachedToTarget",
          params: {
            sessionId,
            targetInfo: { ...this.#visible(info), attached: true },
            waitingForDebugger: false,
          },
        });
        resolve(sessionId);
      },
    );
    return promise;
  }

  /** Attaches to a prepared tab if the agent requested auto-attach. */
  autoAttach(targetId: string): void {
    const isPage = this.core.registry.get(targetId)?.type === "page";
    if (this.isAttaching && isPage && this.#isOwn(targetId))
      this.attach(targetId, false).catch(() => {
        // The tab is already gone.
      });
  }

  gained(targetId: string): void {
    const info = this.core.registry.get(targetId);
    if (info && this.isDiscovering)
      this.send({
        method: "Target.targetCreated",
        params: { targetInfo: this.#visible(info) },
      });
    this.autoAttach(targetId);
  }

  lost(targetId: string): void {
    for (const session of [...this.sessions.values()])
      if (session.rootTargetId === targetId) {
        const { sessionId } = session;
        this.detached(sessionId);
        this.core.post("Target.detachFromTarget", { sessionId });
      }
    this.#attaching.delete(targetId);
    if (this.isDiscovering)
      this.send({ method: "Target.targetDestroyed", params: { targetId } });
  }

  /** Ends a session that Chromium or the guard reported as detached. */
  detached(sessionId: string): void {
    const session = this.sessions.get(sessionId);
    if (!session) return;
    const { targetId } = session;
    this.sessions.delete(sessionId);
    this.#attaching.delete(targetId);
    this.send({
      method: "Target.detachedFromTarget",
      params: { sessionId, targetId },
    });
  }

  forgetNodes(targetId: string): void {
    for (const session of this.sessions.values())
      if (session.targetId === targetId) session.forgetNodes();
  }

  takeOfTarget({ method, params }: ProtocolEvent): void {
    if (!this.isDiscovering) return;
    const { targetInfo } = params as { targetInfo?: TargetInfo };
    this.send({
      method,
      params: targetInfo ? { targetInfo: this.#visible(targetInfo) } : params,
    });
  }

  /** Forwards an event if its session belongs to this connection. */
  forwardSessionEvent(event: ProtocolEvent): void {
    const session = this.sessions.get(event.sessionId ?? "");
    if (!session) return;
    const { method, params } = event;
    session.learnRequest(event);
    session.learnNodes(method, params);
    if (method === "Target.attachedToTarget")
      this.#attachedChild(params, session);
    if (method === "Target.detachedFromTarget")
      this.sessions.delete(String(params["sessionId"]));
    if (!this.#judge.maySee(event, session)) return;
    const { tier } = this.core.options.rulesOf(this.agentId);
    const visible = toVisibleEvent(event, tier);
    if (visible) this.send({ ...visible });
  }

  /** Detaches from all targets. Idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const sessionId of this.sessions.keys())
      this.core.post("Target.detachFromTarget", { sessionId });
    this.sessions.clear();
  }

  #attachedChild(params: Record<string, unknown>, parent: AgentSession): void {
    const { sessionId, targetInfo } = params as {
      sessionId: string;
      targetInfo: TargetInfo;
    };
    this.core.registry.set(targetInfo);
    // A worklet that is paused while its page ends hangs the page, and few clients handle worklets.
    if (targetInfo.type.endsWith("worklet"))
      this.core.post("Runtime.runIfWaitingForDebugger", {}, sessionId);
    this.sessions.set(
      sessionId,
      new AgentSession(sessionId, targetInfo.targetId, parent.rootTargetId),
    );
  }

  #isOwn(targetId: string): boolean {
    return this.core.registry.isOwn(targetId, this.agentId);
  }

  #visible(info: TargetInfo): TargetInfo {
    return this.core.registry.toVisible(info, this.agentId);
  }
}

/** Validates a call. Returns it, or a description of what is wrong with it. */
function toCall(message: unknown): AgentCall | string {
  if (typeof message !== "object" || message === null) return "this is no call";
  const { id, method, params, sessionId } = message as Record<string, unknown>;
  if (typeof id !== "number" || !Number.isSafeInteger(id))
    return "the id of a call must be an integer";
  if (typeof method !== "string") return "a call must have a method";
  if (params !== undefined && params !== null)
    if (typeof params !== "object" || Array.isArray(params))
      return "parameters are an object";
  return {
    id,
    method,
    params: (params ?? {}) as AgentCall["params"],
    sessionId,
  };
}

function idOf(message: unknown): number {
  const id = (message as { id?: unknown } | null)?.id;
  return typeof id === "number" ? id : -1;
}
