import type { Git } from "@gantry/git-kit";
import type { Workspaces } from "../agents/workspaces.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";

const READ_AT_ONCE = 500;

/** Dependencies of {@link Places}. */
interface PlacesHost {
  git: Git;
  records: Records;
  workspaces: Workspaces;
}

/** Folders, as a new agent would find them. */
export class Places {
  readonly #host: PlacesHost;

  constructor(host: PlacesHost) {
    this.#host = host;
  }

  /** @param path Absolute, with every link followed. */
  async read(path: string) {
    const { git, workspaces } = this.#host;
    const root = await git.root(path);
    const workspace = await workspaces.find(path);
    return {
      repository:
        root === undefined
          ? null
          : {
              root,
              branch: (await git.branch(root)) ?? null,
              hasCommits: (await git.resolve(root, "HEAD")) !== undefined,
            },
      agents: (await this.#agentsIn(root ?? path)).map(
        ({ id, name, activity, state }) => ({ id, name, activity, state }),
      ),
      setup: workspace?.setup ?? null,
    };
  }

  /** The open agents that work in a working tree, directly or in a folder of it. */
  async #agentsIn(place: string): Promise<AgentRecord[]> {
    const { git, records } = this.#host;
    const found: AgentRecord[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await records.agents.list({
        index: "open",
        limit: READ_AT_ONCE,
        ...(cursor ? { cursor } : {}),
      });
      for (const agent of page.items)
        if (agent.cwd === place || (await git.root(agent.cwd)) === place)
          found.push(agent);
      cursor = page.nextCursor;
    }
    return found;
  }
}
