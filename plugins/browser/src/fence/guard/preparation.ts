import type { Clock } from "@gantry/plugin";
import type {
  ProtocolConnection,
  ProtocolEvent,
} from "../../protocol/protocol-connection.ts";
import type { TargetInfo } from "./target-registry.ts";

/** How long a target may be paused; preparation that has not finished by then is skipped. */
const MAX_PREPARATION_MS = 15_000;

/**
 * Includes workers and worklets, although the guard does not need them: Chromium keeps targets that a filter excludes
 * paused forever.
 */
const CHILDREN = {
  autoAttach: true,
  waitForDebuggerOnStart: true,
  flatten: true,
};
const WITH_DOCUMENT: ReadonlySet<string> = new Set(["page", "iframe"]);

type Hook = (target: TargetInfo, sessionId: string) => Promise<void> | void;

/** Pauses new targets until everything that must happen before they run is done. */
export class Preparation {
  readonly hooks = new Set<Hook>();
  readonly #protocol: ProtocolConnection;
  readonly #clock: Pick<Clock, "after">;
  /** The guard's own sessions, with the target of each. */
  readonly #sessions = new Map<string, string>();
  readonly #byTarget = new Map<string, string>();
  readonly #ready = new Map<string, PromiseWithResolvers<void>>();

  constructor(protocol: ProtocolConnection, clock: Pick<Clock, "after">) {
    this.#protocol = protocol;
    this.#clock = clock;
  }

  /** The target of a session of the guard's own. */
  targetOf(sessionId: string | undefined): string | undefined {
    return sessionId === undefined ? undefined : this.#sessions.get(sessionId);
  }

  /** The guard's own session with a target. */
  sessionOf(targetId: string): string | undefined {
    return this.#byTarget.get(targetId);
  }

  /** Resolves when a target has been prepared, or is gone. */
  async whenReady(targetId: string): Promise<void> {
    await this.#ready.get(targetId)?.promise;
  }

  /** Handles a session that Chromium has auto-attached, and prepares its target if it is new. */
  attached({ params }: ProtocolEvent): void {
    const { sessionId, targetInfo, waitingForDebugger } = params as {
      sessionId: string;
      targetInfo: TargetInfo;
      waitingForDebugger: boolean;
    };
    const { targetId, type } = targetInfo;
    // Sessions that other clients requested are reported here as well.
    if (!waitingForDebugger && this.#byTarget.has(targetId)) return;
    this.#sessions.set(sessionId, targetId);
    this.#byTarget.set(targetId, sessionId);
    const ready = Promise.withResolvers<void>();
    this.#ready.set(targetId, ready);
    if (WITH_DOCUMENT.has(type)) {
      this.#post("Page.enable", {}, sessionId);
      this.#post("Target.setAutoAttach", CHILDREN, sessionId);
    }
    void this.#runHooks(targetInfo, sessionId, ready.promise).finally(() => {
      this.#post("Runtime.runIfWaitingForDebugger", {}, sessionId);
      ready.resolve();
    });
  }

  detached(sessionId: string): void {
    const targetId = this.#sessions.get(sessionId);
    if (targetId === undefined) return;
    this.#sessions.delete(sessionId);
    if (this.#byTarget.get(targetId) === sessionId) this.forget(targetId);
  }

  forget(targetId: string): void {
    this.#byTarget.delete(targetId);
    this.#ready.get(targetId)?.resolve();
    this.#ready.delete(targetId);
  }

  async #runHooks(
    target: TargetInfo,
    sessionId: string,
    gone: Promise<void>,
  ): Promise<void> {
    if (!WITH_DOCUMENT.has(target.type) || this.hooks.size === 0) return;
    const late = Promise.withResolvers<void>();
    const cancel = this.#clock.after(MAX_PREPARATION_MS, late.resolve);
    const work = [...this.hooks].map(async (hook) => hook(target, sessionId));
    // A paused target that ends does not answer any more.
    await Promise.race([Promise.allSettled(work), gone, late.promise]);
    cancel();
  }

  #post(method: string, params: object, sessionId: string): void {
    this.#protocol.post(method, params, sessionId, () => {});
  }
}
