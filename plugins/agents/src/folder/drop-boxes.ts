import type { AgentGate } from "../agents/agent-gate.ts";
import type { AgentNotes } from "../agents/agent-notes.ts";
import type { Drop } from "../records/removal-record.ts";
import { dropFile, removeDrop } from "./drop-box.ts";
import type { Folders } from "./folders.ts";

/** Drops of an agent that are remembered; older ones go with the sweep alone. */
const MAX_DROPS = 500;

/** What is put into the folders of agents, and which agent it is for. */
export class DropBoxes {
  readonly #host: { gate: AgentGate; notes: AgentNotes; folders: Folders };

  constructor(host: { gate: AgentGate; notes: AgentNotes; folders: Folders }) {
    this.#host = host;
  }

  /**
   * Puts an attachment where the agent can read it. Gives its path in the folder.
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

  /** Removes a file that was put into a folder. One that is gone, with its folder or without, is no fault. */
  async remove({ cwd, path }: Drop): Promise<void> {
    const folder = await this.#host.folders.at(cwd).catch(() => undefined);
    if (folder) await removeDrop(folder, path);
  }
}
