import type { AgentGate } from "../agents/agent-gate.ts";
import type { AgentNotes } from "../agents/agent-notes.ts";
import type { Drop } from "../records/removal-record.ts";
import { dropFile, removeDrop } from "./drop-box.ts";
import type { Folders } from "./folders.ts";

/** Attachments recorded for an agent; only the sweep removes older ones. */
const MAX_DROPS = 500;

/** Stores attachments in the folders of agents, and records which agent each belongs to. */
export class DropBoxes {
  readonly #host: { gate: AgentGate; notes: AgentNotes; folders: Folders };

  constructor(host: { gate: AgentGate; notes: AgentNotes; folders: Folders }) {
    this.#host = host;
  }

  /**
   * Writes an attachment to the agent's folder. Returns its path in the folder.
   *
   * @throws AGENT_NOT_FOUND, what {@link Folders.of} and {@link dropFile} throw
   */
  async add(
    agentId: string,
    file: { name: string; data: string },
  ): Promise<string> {
    const { gate, notes, folders } = this.#host;
    const folder = await folders.of(agentId);
    return await gate.write(agentId, async () => {
      const path = await dropFile(folder, file);
      const drop = { cwd: folder.root, path };
      await notes.change(agentId, ({ drops }) => ({
        drops: [...drops, drop].slice(-MAX_DROPS),
      }));
      return path;
    });
  }

  /** Removes an attachment. Does nothing if the file or its folder is gone. */
  async remove({ cwd, path }: Drop): Promise<void> {
    const folder = await this.#host.folders.at(cwd).catch(() => undefined);
    if (folder) await removeDrop(folder, path);
  }
}
