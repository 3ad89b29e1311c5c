import type { ProtocolConnection } from "../protocol/protocol-connection.ts";
import { createTabSession } from "../view/tab-session.ts";
import type { TabSession } from "../view/tab-session.ts";

/** Sessions with frames of other sites, which Chromium runs in processes of their own. */
export class FrameSessions {
  readonly #protocol: ProtocolConnection;
  /** By the id of the frame, which is that of its target too. */
  readonly #sessions = new Map<string, TabSession>();
  readonly #stopListening: () => void;

  constructor(protocol: ProtocolConnection) {
    this.#protocol = protocol;
    this.#stopListening = protocol.onEvent(({ method, params }) => {
      if (method === "Target.detachedFromTarget")
        this.#forget(params["sessionId"]);
    });
  }

  /** The session with a frame; `undefined` if the frame is part of its page's process. */
  async open(frameId: string): Promise<TabSession | undefined> {
    const known = this.#sessions.get(frameId);
    if (known) return known;
    try {
      const { sessionId } = await this.#protocol.send<{ sessionId: string }>(
        "Target.attachToTarget",
        { targetId: frameId, flatten: true },
      );
      const session = createTabSession(this.#protocol, frameId, sessionId);
      this.#sessions.set(frameId, session);
      return session;
    } catch {
      // Chromium has no target for such a frame.
      return undefined;
    }
  }

  close(): void {
    this.#stopListening();
    for (const { sessionId } of this.#sessions.values())
      this.#protocol.post("Target.detachFromTarget", { sessionId });
    this.#sessions.clear();
  }

  #forget(ended: unknown): void {
    for (const [frameId, { sessionId }] of this.#sessions)
      if (sessionId === ended) this.#sessions.delete(frameId);
  }
}
