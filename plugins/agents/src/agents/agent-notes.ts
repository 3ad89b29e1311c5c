import type { NewEvent, StoreOperation } from "@gantry/plugin";
import type { NotesRecord } from "../records/notes-record.ts";
import type { Records } from "../records/records.ts";
import { KeyedMutex } from "../live/keyed-mutex.ts";
import type { AgentGate } from "./agent-gate.ts";

/** Data of an agent that {@link AgentNotes} stores. */
export type Notes = Pick<
  NotesRecord,
  "checklist" | "commands" | "context" | "drops"
>;

const NOTHING: Notes = { checklist: [], commands: [], context: [], drops: [] };

/** Stores data of agents apart from their records, because most agents have none of it. */
export class AgentNotes {
  readonly #records: Records;
  readonly #gate: AgentGate;
  readonly #mutex = new KeyedMutex();

  constructor(records: Records, gate: AgentGate) {
    this.#records = records;
    this.#gate = gate;
  }

  async of(agentId: string): Promise<Notes> {
    return (await this.#records.notes.get(agentId)) ?? NOTHING;
  }

  /**
   * Changes the notes of an agent; the first change creates their record.
   *
   * @throws AGENT_NOT_FOUND once the agent is being deleted
   */
  change(
    agentId: string,
    change: (current: Notes) => Partial<Notes>,
    events: readonly NewEvent[] = [],
  ): Promise<void> {
    const write = async () => {
      const { notes } = this.#records;
      const changed = await notes.update(agentId, (current) => ({
        record: { ...current, ...change(current) },
        events,
      }));
      if (changed) return;
      const first = { id: agentId, ...NOTHING, ...change(NOTHING) };
      await notes.insert(first, { events });
    };
    return this.#gate.write(agentId, () => this.#mutex.run(agentId, write));
  }

  /** Store operations that remove the notes of an agent. Call it when the agent's gate is closed. */
  async toRemove(agentId: string): Promise<StoreOperation[]> {
    const { notes } = this.#records;
    const found = await notes.get(agentId);
    return found ? notes.toRemove(found) : [];
  }
}
