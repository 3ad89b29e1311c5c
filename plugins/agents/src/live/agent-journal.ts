import type { NewEvent, StoreOperation } from "@gantry/plugin";
import { AgentChanged } from "../contract.ts";
import type { AgentSession } from "../driver.ts";
import { visibleFields, type AgentRecord } from "../records/agent-record.ts";
import { cutText, type Entry, type NewEntry } from "../transcript/entry.ts";
import type { EarlierSession } from "../transcript/find-session.ts";
import type { JournalHost } from "./live-host.ts";

const RETURNED =
  "The conversation continues an earlier session, which does not know what was said in later ones.";

/** Keeps record, transcript and stream of one agent in step. */
export class AgentJournal {
  readonly agentId: string;
  readonly #host: JournalHost;
  #agent: AgentRecord;

  constructor(host: JournalHost, agent: AgentRecord) {
    this.#host = host;
    this.#agent = agent;
    this.agentId = agent.id;
  }

  /** The record as it was last seen. */
  get agent(): AgentRecord {
    return this.#agent;
  }

  /**
   * Appends to the conversation; with `durable`, it is on disk when this resolves. Gives the entries as they are stored.
   */
  async append(
    entries: readonly NewEntry[],
    durable = false,
  ): Promise<Entry[]> {
    const stored = await this.#host.transcripts
      .of(this.agentId)
      .append(entries, { durable });
    for (const entry of stored) this.publish("entry", entry);
    return stored;
  }

  /** Takes an entry out of the conversation. */
  async withdraw(entryId: string): Promise<void> {
    await this.#host.transcripts.of(this.agentId).withdraw(entryId);
    this.publish("branched", {});
  }

  /** Something for the user to read, in the conversation. */
  async notice(text: string, turnId: string | null = null): Promise<void> {
    await this.append([
      { turnId, role: "system", kind: "notice", ...cutText(text) },
    ]);
  }

  /** Writes down that what follows belongs to this session of the CLI. */
  async noteSession(
    { sessionId, resumeKey }: Pick<AgentSession, "sessionId" | "resumeKey">,
    isFresh: boolean,
    isReturn = false,
  ): Promise<void> {
    await this.#host.transcripts
      .of(this.agentId)
      .noteSession({ sessionId, resumeKey, isFresh, isReturn });
  }

  /** As {@link noteSession}, for an earlier session that is continued. Tells the user. */
  async noteReturn(session: EarlierSession): Promise<void> {
    await this.noteSession(session, false, true);
    await this.notice(RETURNED);
  }

  /** Changes the record, in one batch with its events and with what else belongs to the change. */
  async save(
    change:
      Partial<AgentRecord> | ((current: AgentRecord) => Partial<AgentRecord>),
    also: {
      events?: readonly NewEvent[];
      /** Called while no other change of this agent is written. */
      operations?: () => Promise<readonly StoreOperation[]>;
    } = {},
  ): Promise<void> {
    const next = await this.#host.records.agents.update(
      this.agentId,
      async (current) => {
        const changed = typeof change === "function" ? change(current) : change;
        const fields = visibleFields(Object.keys(changed));
        return {
          record: { ...current, ...changed },
          operations: (await also.operations?.()) ?? [],
          events: [
            ...(also.events ?? []),
            AgentChanged.of(this.agentId, { fields }),
          ],
        };
      },
    );
    if (!next) return;
    this.#agent = next;
    const { state, mode, activity, openWork } = next;
    this.publish("state", { state, mode, activity, openWork });
  }

  publish(event: string, data: object): void {
    this.#host.streams.publish(this.agentId, event, data);
  }
}
