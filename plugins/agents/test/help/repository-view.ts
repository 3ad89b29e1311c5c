import { AgentsKernel } from "./agents-kernel.ts";

/** An answer of the repository's operations, as far as tests look into it. */
export interface RepositoryAnswer {
  git?: boolean;
  code?: string;
  [field: string]: unknown;
}

/** An agent in a folder, and its repository's operations. */
export class RepositoryView {
  readonly agents: AgentsKernel;
  readonly id: string;

  private constructor(agents: AgentsKernel, id: string) {
    this.agents = agents;
    this.id = id;
  }

  static async open(cwd: string): Promise<RepositoryView> {
    const agents = await AgentsKernel.start();
    const { id } = await agents.create({ cli: "practice", cwd });
    return new RepositoryView(agents, id);
  }

  /** Another agent's folder, in the same daemon. */
  async at(cwd: string): Promise<RepositoryView> {
    const { id } = await this.agents.create({ cli: "practice", cwd });
    return new RepositoryView(this.agents, id);
  }

  async get<Body = RepositoryAnswer>(
    operation: string,
    query: Record<string, string | number> = {},
  ): Promise<{ status: number; body: Body }> {
    return await this.agents.kernel.api.get<Body>(
      `/api/agents/${this.id}/${operation}`,
      query,
    );
  }

  async post<Body = RepositoryAnswer>(
    operation: string,
    body: object,
  ): Promise<{ status: number; body: Body }> {
    return await this.agents.kernel.api.post<Body>(
      `/api/agents/${this.id}/${operation}`,
      body,
    );
  }

  /** All pages of the graph. */
  async history(limit: number): Promise<HistoryRow[]> {
    const rows: HistoryRow[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { body }: { body: HistoryAnswer } = await this.get("git", {
        limit,
        ...(cursor === "" ? {} : { cursor }),
      });
      rows.push(...body.items);
      cursor = body.nextCursor;
    }
    return rows;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.agents.kernel.stop();
  }
}

export interface HistoryRow {
  hash: string;
  parents: string[];
  author: string;
  at: string;
  subject: string;
  lane: number;
  into: number[];
  through: number[];
  out: number[];
}

export interface HistoryAnswer {
  git: true;
  head: { hash: string | null; branch: string | null } | null;
  refs: { name: string; kind: string; hash: string }[];
  worktrees: {
    path: string;
    branch: string | null;
    current: boolean;
    agents: { id: string; name: string }[];
  }[];
  items: HistoryRow[];
  nextCursor: string | null;
  truncated: boolean;
}
