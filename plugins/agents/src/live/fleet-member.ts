import type { AgentSession } from "../driver.ts";
import type { LiveAgent } from "./live-agent.ts";
import type { SessionLock } from "./session-locks.ts";

/** An agent of the fleet, with what only the fleet knows of it. */
export interface FleetMember {
  live: LiveAgent;
  session: AgentSession;
  lock: SessionLock;
  /** A run has it for itself: messages of others wait. */
  isTaken: boolean;
  /** Why it is being closed by us, so that its end is no fault. */
  closing: string | undefined;
  /** Resolves when everything about its end is written down. */
  gone: Promise<void>;
  restedAt: number;
  stopIdleTimer: () => void;
}

/** An agent that was opened just now. */
export function createMember(
  live: LiveAgent,
  lock: SessionLock,
  isTaken: boolean,
  now: number,
): FleetMember {
  return {
    live,
    session: live.session,
    lock,
    isTaken,
    closing: undefined,
    gone: Promise.resolve(),
    restedAt: now,
    stopIdleTimer: () => undefined,
  };
}
