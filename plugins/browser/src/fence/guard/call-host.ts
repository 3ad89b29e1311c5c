import type { ProtocolAnswer } from "../../protocol/protocol-connection.ts";
import type { CallRefusal } from "../call-refusal.ts";
import type { AgentMessage } from "./agent-message.ts";
import type { AgentSession } from "./agent-session.ts";
import type { AgentCall } from "./call-judge.ts";
import type { GuardCore } from "./guard-core.ts";

/** The connection of an agent, as the handling of its calls needs it. */
export interface CallHost {
  readonly core: GuardCore;
  readonly agentId: string;
  readonly sessions: ReadonlyMap<string, AgentSession>;
  /** Whether tabs are attached to automatically, as `Target.setAutoAttach` requested. */
  isAttaching: boolean;
  /** Whether it receives events about its tabs, as `Target.setDiscoverTargets` requested. */
  isDiscovering: boolean;
  send(message: AgentMessage): void;
  /** Records that a call was allowed. */
  allow(call: AgentCall): void;
  /** Records that a call was refused, and answers it. */
  refuse(call: AgentCall, refusal: CallRefusal): void;
  answer(call: AgentCall, answer: ProtocolAnswer): void;
  /** Sends a call that was allowed, and returns answers to the agent in the order in which they arrive. */
  post(call: AgentCall, session: AgentSession): void;
  /** Attaches to a tab; only once unless the agent requests another session. Resolves with the session's id. */
  attach(targetId: string, isAsked: boolean): Promise<string>;
}
