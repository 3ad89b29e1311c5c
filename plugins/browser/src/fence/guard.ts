import { errors } from "../errors.ts";
import { AgentConnection } from "./guard/agent-connection.ts";
import type { AgentMessage } from "./guard/agent-message.ts";
import { GuardCore } from "./guard/guard-core.ts";
import type { GuardOptions } from "./guard/guard-options.ts";
import type { LeftTab } from "./guard/left-tab.ts";
import type { TargetInfo } from "./guard/target-registry.ts";

export type { AgentMessage } from "./guard/agent-message.ts";
export type { LeftTab } from "./guard/left-tab.ts";
export type { TargetInfo } from "./guard/target-registry.ts";

/** Stands between agents and a Chromium: every call is judged and recorded before it is sent. */
export interface Guard {
  /**
   * Connects an agent to the browser, of which it sees only its own tabs.
   *
   * @param input.send Receives messages for the agent, synchronously and in Chromium's order.
   */
  connect(input: { agentId: string; send(message: AgentMessage): void }): {
    /** Handles a message of the agent: `{id, method, params, sessionId}`. Never throws. */
    post(message: unknown): void;
    close(): void;
  };
  /**
   * Lends a tab to an agent, or takes it back with `null`. It also returns to the user when it navigates to an address
   * that the agent may not open.
   *
   * @throws `BROWSER_REFUSED` (403) when there is no such tab, or the agent may not open what it shows
   */
  lend(targetId: string, agentId: string | null): void;
  /** The agent that has a tab. */
  ownerOf(targetId: string): string | undefined;
  /** Tabs of an agent, the oldest first. */
  ownTabs(agentId: string): readonly TargetInfo[];
  /**
   * Calls back for each new page and frame of another site while it is paused. The guard resumes it when all listeners
   * have finished. A paused page may not answer calls until it runs: post them and do not await answers.
   */
  onNewTarget(
    prepare: (target: TargetInfo, sessionId: string) => Promise<void> | void,
  ): () => void;
  /** Calls back when a tab was taken from an agent or emptied because of its address. */
  onLeft(listener: (left: LeftTab) => void): () => void;
  /** Judges all tabs of agents again; call it when policies have changed. */
  review(): void;
}

/** Creates the guard of a browser. Resolves when new targets are paused for it. */
export async function createGuard(options: GuardOptions): Promise<Guard> {
  const core = new GuardCore(options);
  await core.start();
  return {
    connect({ agentId, send }) {
      const connection = new AgentConnection(core, agentId, send);
      core.connections.add(connection);
      return {
        post: (message) => connection.take(message),
        close: () => {
          core.connections.delete(connection);
          connection.close();
        },
      };
    },
    lend(targetId, agentId) {
      if (agentId === null) return core.takeBack(targetId);
      const info = core.registry.get(targetId);
      const refusal =
        info?.type === "page"
          ? core.judgeDocument(agentId, targetId)
          : "there is no such tab";
      if (refusal !== null)
        throw errors.BROWSER_REFUSED({
          reason: `This tab cannot be lent: ${refusal}.`,
        });
      core.takeBack(targetId);
      core.give(targetId, { agentId, isLent: true });
    },
    ownerOf: (targetId) => core.registry.ownerOf(targetId)?.agentId,
    ownTabs: (agentId) => core.registry.ownTabs(agentId),
    onNewTarget(prepare) {
      core.preparation.hooks.add(prepare);
      return () => void core.preparation.hooks.delete(prepare);
    },
    onLeft(listener) {
      core.leftListeners.add(listener);
      return () => void core.leftListeners.delete(listener);
    },
    review: () => core.review(),
  };
}
