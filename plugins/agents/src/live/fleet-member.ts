import type { Log } from "@gantry/plugin";
import type { AgentSession } from "@gantry/agent-kit";
import type { LiveAgent } from "./live-agent.ts";
import type { SessionLock } from "./session-locks.ts";

/** An open agent, with the state that only {@link Fleet} uses. */
export interface FleetMember {
  live: LiveAgent;
  session: AgentSession;
  lock: SessionLock;
  /** Whether a run has exclusive use of it, so that other messages wait. */
  isTaken: boolean;
  /** Why the daemon is closing it, so that its end is not reported as a fault; `undefined` while it is not closing. */
  closing: string | undefined;
  /** Whether it is being closed because it was idle, not on request. */
  isRetired: boolean;
  /** Whether to close it as soon as it is idle, since the tools that it was opened with have changed. */
  isStale: boolean;
  /** Resolves when its process is gone and its end is stored. */
  gone: Promise<void>;
  /** When it last became idle, by the monotonic clock. */
  restedAt: number;
  stopIdleTimer: () => void;
}

/** Creates the member for an agent that was just opened. */
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

/** Waits for the end of the agent's process, stores it and releases the session lock. Then resolves. */
export async function followEnd(member: FleetMember, log: Log): Promise<void> {
  const end = await member.session.ended;
  member.stopIdleTimer();
  const isOurs = member.closing !== undefined && end.reason === "exit";
  // Makes a concurrent start wait for `gone` and open the agent again.
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

/** Whether the agent can be closed without interrupting work. */
export function isAtRest({ live, isTaken, closing }: FleetMember): boolean {
  return !live.isBusy && !isTaken && closing === undefined;
}

/** The agent that has been idle the longest. */
export function longestAtRest(
  members: readonly FleetMember[],
): FleetMember | undefined {
  return members.toSorted((left, right) => left.restedAt - right.restedAt)[0];
}
