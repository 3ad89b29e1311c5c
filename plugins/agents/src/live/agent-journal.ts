import type { NewEvent, StoreOperation } from "@gantry/plugin";
import { AgentChanged } from "../contract.ts";
import type { AgentSession } from "@gantry/agent-kit";
import { visibleFields, type AgentRecord } from "../records/agent-record.ts";
import { cutText, type Entry, type NewEntry } from "../transcript/entry.ts";
import type { EarlierSession } from "../transcript/find-session.ts";
import type { JournalHost } from "./live-host.ts";

const RETURNED =
  "The conversation continues an earlier session, which does not know what was said in later ones.";

/** Writes changes of one agent to its record and transcript, and publishes them on its stream. */
export class AgentJournal {
  readonly agentId: string;
  readonly #host: JournalHost;
  #agent: AgentRecord;

  constructor(host: JournalHost, agent: AgentRecord) {
    this.#host = host;
    this.#agent = agent;
    this.agentId = agent.id;
  }

  /** The record as of the last {@link save}. */
  get agent(): AgentRecord {
    return this.#agent;
  }

  /**
   * Appends entries to the conversation and returns them as stored. With `durable`, they are on disk when this resolves.
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

  /** Removes an entry from the conversation. */
  async withdraw(entryId: string): Promise<void> {
    await this.#host.transcripts.of(this.agentId).withdraw(entryId);
    this.publish("branched", {});
  }

  /** Appends a notice for the user to the conversation. */
  async notice(text: string, turnId: string | null = null): Promise<void> {
    await this.append([
      { turnId, role: "system", kind: "notice", ...cutText(text) },
    ]);
  }

  /** Records that the following entries belong to this session of the CLI. */
  async noteSession(
    { sessionId, resumeKey }: Pick<AgentSession, "sessionId" | "resumeKey">,
    isFresh: boolean,
    isReturn = false,
  ): Promise<void> {
    await this.#host.transcripts
      .of(this.agentId)
      .noteSession({ sessionId, resumeKey, isFresh, isReturn });
  }

  /** As {@link noteSession}, for an earlier session that is continued. Appends a notice for the user. */
  async noteReturn(session: EarlierSession): Promise<void> {
    await this.noteSession(session, false, true);
    await this.notice(RETURNED);
  }

  /** Updates the record in one batch with events and further store operations. */
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
    const { state, mode, activity } = next;
    this.publish("state", { state, mode, activity });
  }

  publish(event: string, data: object): void {
    this.#host.streams.publish(this.agentId, event, data);
  }
}
