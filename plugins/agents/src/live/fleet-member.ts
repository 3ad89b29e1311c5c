import type { Log } from "@gantry/plugin";
import type { AgentSession } from "../driver.ts";
import type { LiveAgent } from "./live-agent.ts";
import type { SessionLock } from "./session-locks.ts";

/** An agent of the fleet, with what only the fleet knows of it. */
export interface FleetMember {
  live: LiveAgent;
  session: AgentSession;
  lock: SessionLock;
  /** A run has it to itself: other messages wait. */
  isTaken: boolean;
  /** Why it is being closed by us, so that its end is no fault. */
  closing: string | undefined;
  /** It is closed because it was idle, not on request. */
  isRetired: boolean;
  /** Its tools have changed: it is closed as soon as it is idle and has no servers. */
  isStale: boolean;
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
    isRetired: false,
    isStale: false,
    gone: Promise.resolve(),
    restedAt: now,
    stopIdleTimer: () => undefined,
  };
}

/** Resolves when the agent's process is gone and everything about its end is written down. */
export async function followEnd(member: FleetMember, log: Log): Promise<void> {
  const end = await member.session.ended;
  member.stopIdleTimer();
  const isOurs = member.closing !== undefined && end.reason === "exit";
  // From now on a start waits for the end and opens the agent again.
  member.closing ??= end.message;
  const kind = isOurs
    ? member.live.isDaemonStopping
      ? "daemon-stopped"
      : "closed"
    : "failed";
  await member.live
    .ended({ kind, message: end.message })
    .catch((error: unknown) => {
      const fields = { agent: member.live.agentId };
      log.error("The end of an agent could not be stored", fields, error);
    });
  await member.lock.release();
}

/** Whether nothing would be lost if it were closed. */
export function isAtRest({ live, isTaken, closing }: FleetMember): boolean {
  return !live.isAtWork && !isTaken && closing === undefined;
}

/** Those that have been at rest for longer first. */
export function byRest(members: readonly FleetMember[]): FleetMember[] {
  return members.toSorted((left, right) => left.restedAt - right.restedAt);
}
