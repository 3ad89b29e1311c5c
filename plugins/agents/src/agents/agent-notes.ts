import type { NewEvent, StoreOperation } from "@gantry/plugin";
import type { NotesRecord } from "../records/notes-record.ts";
import type { Records } from "../records/records.ts";
import { Lanes } from "../live/lanes.ts";
import type { AgentGate } from "./agent-gate.ts";

/** What {@link AgentNotes} keeps of an agent. */
export type Notes = Pick<
  NotesRecord,
  "checklist" | "commands" | "context" | "drops"
>;

const NOTHING: Notes = { checklist: [], commands: [], context: [], drops: [] };

/** What is kept beside the records of agents. Most agents have nothing here. */
export class AgentNotes {
  readonly #records: Records;
  readonly #gate: AgentGate;
  readonly #lanes = new Lanes();

  constructor(records: Records, gate: AgentGate) {
    this.#records = records;
    this.#gate = gate;
  }

  async of(agentId: string): Promise<Notes> {
    return (await this.#records.notes.get(agentId)) ?? NOTHING;
  }

  /**
   * Changes what is kept; the first change makes the record.
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
    return this.#gate.write(agentId, () => this.#lanes.run(agentId, write));
  }

  /** What removes the notes of an agent, to be written with its own removal, once nothing changes them any more. */
  async toRemove(agentId: string): Promise<StoreOperation[]> {
    const { notes } = this.#records;
    const found = await notes.get(agentId);
    return found ? notes.toRemove(found) : [];
  }
}
