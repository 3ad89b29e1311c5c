import type { Clock } from "@gantry/plugin";
import type { Refusal, Rules } from "../fence/policy.ts";
import type { AgentRules } from "./agent-rules.ts";
import type { GuardConnection, GuardMessage } from "./guard-client.ts";
import type { Questions } from "./questions.ts";

/** A browser behind its guard, for one agent. */
export interface GuardedBrowser {
  connect(send: (message: GuardMessage) => void): GuardConnection;
  /** Keeps it from being ended as idle until the returned function is called. */
  hold(): () => void;
  /** Resolves when it has ended. */
  ended: Promise<unknown>;
}

/** Dependencies of tool sessions. */
export interface ToolsHost {
  clock: Clock;
  rules: AgentRules;
  questions: Questions;
  judgeUrl(url: string, rules: Rules): Refusal;
  /** Adds a site or a tier to the policy of an agent. */
  allow(
    agentId: string,
    more: { site?: string; tier?: Rules["tier"] },
  ): Promise<void>;
  /** The agent's own browser, started if it does not run. */
  open(agentId: string, signal: AbortSignal): Promise<GuardedBrowser>;
  /** Other browsers in which the agent was lent a tab. */
  lent(agentId: string): readonly GuardedBrowser[];
  /** Rescans which ports the agent's own servers listen on. */
  refreshPorts?(agentId: string): Promise<void>;
  /** Records that the agent uses a tab, so that viewers see it. */
  noteUse?(agentId: string, targetId: string): void;
}
