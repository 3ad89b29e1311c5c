import type {
  ProtocolConnection,
  ProtocolEvent,
} from "../protocol/protocol-connection.ts";
import type { TargetInfo } from "./target-registry.ts";

/**
 * Includes workers and worklets, although the guard does not need them: Chromium keeps targets that a filter excludes
 * paused forever.
 */
const NEW_TARGETS = {
  ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
};
const WITH_DOCUMENT: ReadonlySet<string> = new Set(["page", "iframe"]);

/** The guard's own sessions with all targets, which report the documents that they show. */
export class OwnSessions {
  readonly #protocol: ProtocolConnection;
  readonly #targets = new Map<string, string>();
  readonly #sessions = new Map<string, string>();

  readonly #onRunning: (targetId: string) => void;

  /** @param onRunning Called when a new target runs. */
  constructor(
    protocol: ProtocolConnection,
    onRunning: (targetId: string) => void,
  ) {
    this.#protocol = protocol;
    this.#onRunning = onRunning;
  }

  /** Resolves when new targets are paused, so that the guard knows each of them before it runs. */
  async start(): Promise<void> {
    await this.#protocol.send("Target.setDiscoverTargets", { discover: true });
    await this.#protocol.send("Target.setAutoAttach", NEW_TARGETS);
  }

  /** The target of a session of the guard's own. */
  targetOf(sessionId: string): string | undefined {
    return this.#targets.get(sessionId);
  }

  /** The guard's own session with a target. */
  sessionOf(targetId: string): string | undefined {
    return this.#sessions.get(targetId);
  }

  /**
   * Takes a session that Chromium has attached, follows its documents, and lets the target run.
   *
   * @param prepare Posts further calls that Chromium must read before the target runs.
   */
  attached({ params }: ProtocolEvent, prepare: () => void): void {
    const { sessionId, targetInfo, waitingForDebugger } = params as {
      sessionId: string;
      targetInfo: TargetInfo;
      waitingForDebugger: boolean;
    };
    const { targetId, type } = targetInfo;
    // Sessions that were asked for are reported here as well.
    if (!waitingForDebugger && this.#sessions.has(targetId)) return;
    this.#targets.set(sessionId, targetId);
    this.#sessions.set(targetId, sessionId);
    if (WITH_DOCUMENT.has(type)) {
      this.#protocol.post("Page.enable", {}, sessionId);
      this.#protocol.post("Target.setAutoAttach", NEW_TARGETS, sessionId);
    }
    prepare();
    this.#protocol.post("Runtime.runIfWaitingForDebugger", {}, sessionId, () =>
      this.#onRunning(targetId),
    );
  }

  detached(sessionId: string): void {
    const targetId = this.#targets.get(sessionId);
    if (targetId === undefined) return;
    this.#targets.delete(sessionId);
    if (this.#sessions.get(targetId) === sessionId)
      this.#sessions.delete(targetId);
  }
}
