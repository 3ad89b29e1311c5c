import { isGantryError } from "@gantry/plugin";
import type { AgentGate } from "../agents/agent-gate.ts";
import type { AgentNotes } from "../agents/agent-notes.ts";
import type { Drop } from "../records/removal-record.ts";
import { dropFile, removeDrop } from "./drop-box.ts";
import type { Folders } from "./folders.ts";

/** Drops of an agent that are remembered; older ones go with the sweep alone. */
const MAX_DROPS = 500;

/** Codes of a folder in which there is nothing to remove now. */
const WITHOUT_FOLDER = new Set(["AGENT_FOLDER_GONE", "FOLDER_SILENT"]);

/** What is put into the folders of agents, and which agent it is for. */
export class DropBoxes {
  readonly #host: { gate: AgentGate; notes: AgentNotes; folders: Folders };

  constructor(host: { gate: AgentGate; notes: AgentNotes; folders: Folders }) {
    this.#host = host;
  }

  /**
   * Puts an attachment where the agent can read it. Gives its path in the folder.
   *
   * @throws AGENT_NOT_FOUND, what {@link Folders.use} and {@link dropFile} throw
   */
  async add(
    agentId: string,
    file: { name: string; data: string },
  ): Promise<string> {
    const { gate, notes, folders } = this.#host;
    return await gate.write(agentId, async () => {
      const { path, drop } = await folders.use(agentId, async (folder) => {
        const path = await dropFile(folder, file);
        return { path, drop: { cwd: folder.root, path } };
      });
      await notes.change(agentId, ({ drops }) => ({
        drops: [...drops, drop].slice(-MAX_DROPS),
      }));
      return path;
    });
  }

  /** Removes a file that was put into a folder. One that is gone, with its folder or without, is no fault. */
  async remove({ cwd, path }: Drop): Promise<void> {
    await this.#host.folders
      .useAt(cwd, (folder) => removeDrop(folder, path))
      .catch((error: unknown) => {
        // An agent can be deleted while the disk of its folder is away.
        if (!isGantryError(error) || !WITHOUT_FOLDER.has(error.code))
          throw error;
      });
  }
}
