import type { CliCatalog } from "../clis/cli-catalog.ts";
import { errors } from "../errors.ts";
import type { Fleet } from "../live/fleet.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import type { EarlierSession } from "../transcript/find-session.ts";
import type { AgentBook } from "./agent-book.ts";

/** Dependencies of {@link EarlierSessions}. */
export interface EarlierSessionsHost {
  book: AgentBook;
  catalog: CliCatalog;
  fleet: Fleet;
  transcripts: Transcripts;
}

/** Opens agents with sessions that they had before the one at hand. */
export class EarlierSessions {
  readonly #host: EarlierSessionsHost;

  constructor(host: EarlierSessionsHost) {
    this.#host = host;
  }

  /** @throws AGENT_SESSION_UNKNOWN, AGENT_UNSUPPORTED */
  async find(agent: AgentRecord, sessionId: string): Promise<EarlierSession> {
    const { catalog, transcripts } = this.#host;
    const { id, cli } = agent;
    const found = await transcripts.of(id).findSession(sessionId);
    if (!found) throw errors.AGENT_SESSION_UNKNOWN({ session: sessionId });
    if (!catalog.capabilities(cli).resume)
      throw errors.AGENT_UNSUPPORTED({ cli, capability: "resume" });
    return found;
  }

  /**
   * Opens an agent with a session, unless it is busy.
   *
   * @throws AGENT_NOT_FOUND, what {@link find} throws, and what {@link Fleet.goBack} throws
   */
  async open(
    agentId: string,
    sessionId: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { book, fleet } = this.#host;
    const agent = await book.get(agentId);
    await fleet.goBack(agentId, await this.find(agent, sessionId), signal);
  }
}
