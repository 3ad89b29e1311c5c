import { openAgentFolder, type AgentFolder } from "@gantry/agent-folder";
import type { AgentBook } from "../agents/agent-book.ts";

/** Opens the folders of agents. */
export class Folders {
  readonly #host: { book: AgentBook; home: string; work: string };

  /** @param host `home` is the daemon's home, which agents may not use except for `work`, the parent of work folders. */
  constructor(host: { book: AgentBook; home: string; work: string }) {
    this.#host = host;
  }

  /** @throws AGENT_NOT_FOUND, AGENT_FOLDER_GONE */
  async of(agentId: string): Promise<AgentFolder> {
    const { cwd } = await this.#host.book.get(agentId);
    return await this.at(cwd);
  }

  /** @throws AGENT_FOLDER_GONE */
  async at(cwd: string): Promise<AgentFolder> {
    return await openAgentFolder(cwd, this.#host);
  }
}
