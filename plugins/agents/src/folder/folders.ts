import { realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { PathGuard } from "@gantry/plugin";
import type { AgentBook } from "../agents/agent-book.ts";
import { AgentFolder } from "./agent-folder.ts";

/** Dependencies of {@link Folders}. */
export interface FoldersHost {
  book: AgentBook;
  guard: PathGuard;
  /** Holds secrets, except for the folders of work in it. */
  home: string;
  work: string;
}

/** How a folder is worked in. */
export interface FolderUse {
  deadlineMs?: number;
  /** What the work reads of it, as a path in it; the folder itself unless said. */
  inside?: string;
}

/** The folders of agents, opened again for each request: they may be moved or replaced at any time. */
export class Folders {
  readonly #host: FoldersHost;

  constructor(host: FoldersHost) {
    this.#host = host;
  }

  /**
   * Works in the folder of an agent.
   *
   * @throws AGENT_NOT_FOUND, AGENT_FOLDER_GONE, FOLDER_SILENT, and what the work throws
   */
  async use<Result>(
    agentId: string,
    work: (folder: AgentFolder) => Promise<Result>,
    options?: FolderUse,
  ): Promise<Result> {
    const { cwd } = await this.#host.book.get(agentId);
    return await this.useAt(cwd, work, options);
  }

  /** Works in a folder. @throws AGENT_FOLDER_GONE, FOLDER_SILENT, and what the work throws */
  async useAt<Result>(
    cwd: string,
    work: (folder: AgentFolder) => Promise<Result>,
    { deadlineMs, inside = "" }: FolderUse = {},
  ): Promise<Result> {
    return await this.#host.guard.run(
      cwd,
      async () => await work(await this.#open(cwd)),
      { deadlineMs, target: join(cwd, inside) },
    );
  }

  async #open(cwd: string): Promise<AgentFolder> {
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
