import type { BrowserMessage } from "../contract.ts";
import { AgentConnection } from "./agent-connection.ts";
import { GuardCore } from "./guard-core.ts";
import type { GuardOptions } from "./guard-core.ts";
import { takeMessage } from "./take-message.ts";

/** Stands between agents and a Chromium: every call is judged and recorded before it is sent. */
export interface Guard {
  /**
   * Connects an agent to the browser, of which it sees only its own tabs.
   *
   * @param send Receives messages for the agent, synchronously and in Chromium's order.
   */
  connect(
    agentId: string,
    send: (message: BrowserMessage) => void,
  ): {
    /** Handles a message of the agent: `{id, method, params, sessionId}`. Never throws. */
    post(message: unknown): void;
    /** Detaches from all tabs, which stay open. */
    close(): void;
  };
  /** Gives a tab that the user opened to an agent, which sees and uses it from now on. */
  give(tabId: string, agentId: string): void;
  /** Whether an agent is connected and has a session with a tab. */
  isUsed(tabId: string): boolean;
  /** The tab in which a frame is. */
  tabOfFrame(frameId: string): string;
  /** Judges again what agents have open; call it when a policy has changed. */
  review(): void;
}

/** Creates the guard of a browser. Resolves when new targets are paused for it. */
export async function createGuard(options: GuardOptions): Promise<Guard> {
  const core = new GuardCore(options);
  await core.start();
  return {
    connect(agentId, send) {
      const connection = new AgentConnection(core, agentId, send);
      core.connections.add(connection);
      return {
        post: (message) => takeMessage(connection, message),
        close() {
          core.connections.delete(connection);
          connection.close();
        },
      };
    },
    give(tabId, agentId) {
      core.give(tabId, agentId);
      for (const connection of core.connections)
        if (connection.agentId === agentId) connection.autoAttach(tabId);
    },
    isUsed: (tabId) =>
      [...core.connections].some((connection) => connection.has(tabId)),
    tabOfFrame: (frameId) => core.registry.tabOfFrame(frameId),
    review: () => core.review(),
  };
}
