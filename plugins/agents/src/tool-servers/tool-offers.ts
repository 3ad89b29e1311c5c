import {
  createIdentifier,
  describeError,
  type Clock,
  type Log,
} from "@gantry/plugin";
import { raceAbort, timeoutSignal } from "../abort.ts";
import { errors } from "../errors.ts";
import type { ToolOffer } from "../tool-offer.ts";
import type { ToolServer } from "../tool-server.ts";
import {
  checkToolServer,
  findClash,
  isToolServerName,
} from "./check-tool-server.ts";

/** A plugin that takes longer to admit a session is left out. */
const ADMIT_TIMEOUT_MS = 5000;

/** The tool servers of a session, until it ends. */
export interface Admission {
  readonly servers: readonly ToolServer[];
  /** Ends the session: aborts the signals that were passed to the offers. Idempotent. */
  end(): void;
}

/** A session without any tools. */
export const NO_TOOLS: Admission = { servers: [], end: () => undefined };

/** An offer, and the abort controllers of the sessions that it admitted. */
interface ActiveOffer {
  offer: ToolOffer;
  sessions: Set<AbortController>;
}

/** The answer of an offer for one session. */
interface Answer {
  server: ToolServer | null;
  end(): void;
}

/** The tool servers that other plugins offer to sessions. */
export class ToolOffers {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #offers = new Map<string, ActiveOffer>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Adds an offer until the signal aborts, which also ends the offer's admissions of open sessions.
   *
   * @throws AGENT_TOOLS_TAKEN, AGENT_TOOLS_INVALID
   */
  add(offer: ToolOffer, until: AbortSignal): void {
    const { name } = offer;
    if (!isToolServerName(name)) throw errors.AGENT_TOOLS_INVALID({ name });
    if (this.#offers.has(name)) throw errors.AGENT_TOOLS_TAKEN({ name });
    until.throwIfAborted();
    const active: ActiveOffer = { offer, sessions: new Set() };
    this.#offers.set(name, active);
    const remove = () => {
      this.#offers.delete(name);
      for (const session of active.sessions) session.abort(until.reason);
    };
    until.addEventListener("abort", remove, { once: true });
  }

  /**
   * Requests the servers for a new session from all offers. An offer that fails or times out is logged and left out.
   *
   * @param signal Ends the wait and all admissions of the session; `admit` then rejects with the signal's reason.
   */
  async admit(agentId: string, signal: AbortSignal): Promise<Admission> {
    if (this.#offers.size === 0) return NO_TOOLS;
    const input = { agentId, sessionId: createIdentifier("ses") };
    const answers = await Promise.all(
      [...this.#offers.values()].map((active) =>
        this.#ask(active, input, signal),
      ),
    );
    const end = () => answers.forEach((answer) => answer.end());
    if (signal.aborted) {
      end();
      throw signal.reason;
    }
    return { servers: this.#choose(answers, agentId), end };
  }

  /** Ends the admissions of all sessions because the daemon stops. Screens outlive the daemon without their tools. */
  endAll(reason: string): void {
    for (const { sessions } of this.#offers.values())
      for (const session of sessions) session.abort(new Error(reason));
  }

  /** The servers whose environments are compatible; ends the admissions of the others. */
  #choose(answers: readonly Answer[], agentId: string): ToolServer[] {
    const servers: ToolServer[] = [];
    for (const { server, end } of answers) {
      if (!server) continue;
      const clash = findClash(server, servers);
      if (clash === undefined) servers.push(server);
      else {
        const reason = `Another tool server sets ${clash} to another value.`;
        this.#warn(server.name, agentId, reason);
        end();
      }
    }
    return servers;
  }

  /** Requests the server of one offer. Never rejects, so that a failing plugin does not keep the session from starting. */
  async #ask(
    { offer, sessions }: ActiveOffer,
    input: { agentId: string; sessionId: string },
    signal: AbortSignal,
  ): Promise<Answer> {
    const session = new AbortController();
    sessions.add(session);
    const end = () => {
      sessions.delete(session);
      session.abort(new Error("The session is over."));
    };
    const late = new Error(`It did not answer in ${ADMIT_TIMEOUT_MS} ms.`);
    const timeout = timeoutSignal(this.#clock, ADMIT_TIMEOUT_MS, late);
    const waits = AbortSignal.any([signal, session.signal, timeout.signal]);
    try {
      // The async wrapper turns a synchronous throw of `admit` into a rejection.
      const asked = (async () => await offer.admit(input, session.signal))();
      const given = await raceAbort(asked, waits);
      if (given === null) end();
      const server = given && checkToolServer(given, offer.name);
      return { server, end };
    } catch (error) {
      end();
      if (!signal.aborted)
        this.#warn(offer.name, input.agentId, describeError(error));
      return { server: null, end };
    } finally {
      timeout.clear();
    }
  }

  #warn(tools: string, agent: string, reason: string): void {
    const message = "An agent starts without the tools of a plugin";
    this.#log.warn(message, { tools, agent, reason });
  }
}
