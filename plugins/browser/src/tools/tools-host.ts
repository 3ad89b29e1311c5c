import type { Clock } from "@gantry/plugin";
import type { AgentAccess } from "../fence/agent-access.ts";
import type { Refusal } from "../fence/rules.ts";
import type { Tier } from "../records/schemas.ts";
import type { ConnectGuard } from "./guard-client.ts";
import type { Questions } from "./questions.ts";

/** A browser behind its guard, for one agent. */
export interface GuardedBrowser {
  connect: ConnectGuard;
  /** Keeps it from being ended as idle until the returned function is called. */
  hold(): () => void;
  /** Resolves when it has ended. */
  ended: Promise<unknown>;
}

/** Dependencies of tool sessions. */
export interface ToolsHost {
  clock: Clock;
  access: Pick<AgentAccess, "rulesOf" | "grant" | "refresh">;
  questions: Pick<Questions, "ask">;
  judgeUrl(url: string, sites: readonly string[]): Refusal;
  /** Adds a site or a tier to the policy of an agent. */
  allow(agentId: string, more: { site?: string; tier?: Tier }): Promise<void>;
  /** The agent's own browser, started if it does not run. */
  open(agentId: string): Promise<GuardedBrowser>;
}
