import { describeError, type Clock, type Log } from "@gantry/plugin";
import type { AgentsConfig } from "../config.ts";
import { byRest, isAtRest, type FleetMember } from "./fleet-member.ts";

/** Dependencies of {@link IdleCloser}. */
export interface IdleCloserHost {
  clock: Pick<Clock, "after">;
  log: Log;
  limits: Pick<AgentsConfig["limits"], "idleCloseMs">;
  /** A message may be about to go to the agent. */
  isWanted(agentId: string): boolean;
  /** Finds the ports of the agent's servers that end with its CLI. */
  findServerPorts(agentId: string): Promise<readonly number[]>;
}

/** How often an idle agent is looked at that keeps its earlier tools while its servers listen: their end has no event. */
const STALE_CHECK_MS = 30_000;

/**
 * Closes agents without a request: those that are idle for a while, those whose tools have changed, and one to make room for
 * another. A server of an agent would end with its CLI, so an agent with one stays open, unless there is no other to make room
 * with.
 */
export class IdleCloser {
  readonly #host: IdleCloserHost;
  readonly #retire: (member: FleetMember, reason: string) => Promise<void>;

  /** @param retire Closes an agent; from the call on it counts as being closed. */
  constructor(
    host: IdleCloserHost,
    retire: (member: FleetMember, reason: string) => Promise<void>,
  ) {
    this.#host = host;
    this.#retire = retire;
  }

  /**
   * An agent is at rest: closes it after a while. One whose tools have changed is closed as soon as `sent` resolves, unless
   * a message went to it.
   */
  async rest(member: FleetMember, sent: Promise<void>): Promise<void> {
    this.#checkLater(member);
    await sent;
    if (member.isStale) await this.#check(member);
  }

  /** The tools of an agent have changed: closes it as soon as it is idle and none of its servers listens. */
  async renew(member: FleetMember): Promise<void> {
    if (member.closing !== undefined) return;
    member.isStale = true;
    this.#checkLater(member);
    await this.#check(member);
  }

  /** Closes one of the agents that are at rest. Gives whether there was one. */
  async makeRoom(members: () => Iterable<FleetMember>): Promise<boolean> {
    const idle = () => byRest([...members()].filter((m) => this.#isAtRest(m)));
    const [longest, ...others] = idle();
    for (const member of longest ? [longest, ...others] : []) {
      const ports = await this.#findPorts(member);
      // It may have begun to work, or to make room for another one, in the meantime.
      if (ports.length > 0 || !this.#isAtRest(member)) continue;
      await this.#retire(member, "Another agent needed its place.");
      return true;
    }
    const [last] = idle();
    if (!last) return false;
    await this.#retire(last, "Another agent needed its place.");
    return true;
  }

  #checkLater(member: FleetMember): void {
    member.stopIdleTimer();
    const { clock, limits } = this.#host;
    const ms = member.isStale ? STALE_CHECK_MS : limits.idleCloseMs;
    member.stopIdleTimer = clock.after(ms, () => {
      this.#checkLater(member);
      if (this.#mayRetire(member)) void this.#check(member);
    });
  }

  /** Closes the agent if it is idle and none of its servers listens. What keeps it from its new tools is recorded. */
  async #check(member: FleetMember): Promise<void> {
    const ports = await this.#findPorts(member);
    if (ports.length === 0 && this.#mayRetire(member))
      await this.#retire(
        member,
        member.isStale
          ? "The tools that it may use have changed."
          : "It was at rest for a while.",
      );
    else if (member.isStale && member.closing === undefined)
      await member.live.notePendingRestart(ports);
  }

  async #findPorts({ live }: FleetMember): Promise<readonly number[]> {
    const { agentId } = live;
    try {
      return await this.#host.findServerPorts(agentId);
    } catch (error) {
      // An agent is not kept open for ever on a machine that does not tell.
      this.#host.log.warn("The servers of an agent could not be read", {
        ...{ agentId, reason: describeError(error) },
      });
      return [];
    }
  }

  /** Whether the agent is idle and has no open question. */
  #mayRetire(member: FleetMember): boolean {
    return member.live.dialogs.shown.length === 0 && this.#isAtRest(member);
  }

  #isAtRest(member: FleetMember): boolean {
    return isAtRest(member) && !this.#host.isWanted(member.live.agentId);
  }
}
