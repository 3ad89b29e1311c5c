import { realpath } from "node:fs/promises";
import { sep } from "node:path";
import type { AgentBook } from "../agents/agent-book.ts";
import { AgentFolder } from "./agent-folder.ts";

/** The folders of agents, opened anew for each request: they may be moved and made anew at any time. */
export class Folders {
  readonly #host: { book: AgentBook; home: string; work: string };

  /** @param host `home` holds secrets, except for the folders of work in it. */
  constructor(host: { book: AgentBook; home: string; work: string }) {
    this.#host = host;
  }

  /** @throws AGENT_NOT_FOUND, AGENT_FOLDER_GONE */
  async of(agentId: string | undefined): Promise<AgentFolder> {
    const { cwd } = await this.#host.book.get(agentId ?? "");
    return await this.at(cwd);
  }

  /** @throws AGENT_FOLDER_GONE */
  async at(cwd: string): Promise<AgentFolder> {
    const [home, work] = await Promise.all(
      [this.#host.home, this.#host.work].map((path) =>
        realpath(path).catch(() => path),
      ),
    );
    return await AgentFolder.open(
      cwd,
      (path) => isIn(path, home) && !isIn(path, work),
    );
  }
}

function isIn(path: string, folder: string | undefined): boolean {
  return (
    folder !== undefined && (path === folder || path.startsWith(folder + sep))
  );
}
