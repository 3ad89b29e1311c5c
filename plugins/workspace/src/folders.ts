import { openAgentFolder, type AgentFolder } from "@gantry/agent-folder";
import type { AgentDirectory } from "@gantry/plugin-agents/contract";

/** Dependencies of {@link Folders}. */
export interface FoldersHost {
  directory: AgentDirectory;
  /** Ends when the plugin stops. */
  signal: AbortSignal;
  /** The home of the daemon, which is closed to agents. */
  home: string;
  /** The folder of agents without a project, which is open although it may lie in the home. */
  work: string;
}

/** Opens the folders of agents. */
export class Folders {
  readonly #host: FoldersHost;

  constructor(host: FoldersHost) {
    this.#host = host;
  }

  /** @throws AGENT_NOT_FOUND, AGENT_FOLDER_GONE */
  async of(agentId: string): Promise<AgentFolder> {
    const { directory, signal } = this.#host;
    const { cwd } = await directory.get({ agentId }, signal);
    return await openAgentFolder(cwd, this.#host);
  }
}
