import type { TestAnswer } from "@gantry/plugin-testing";
import { AgentsKernel, type AgentsKernelOptions } from "./agents-kernel.ts";

/** What a turn changed, as the list has it. */
export interface TurnItem {
  turnId: string;
  at: string;
  files: number;
  additions: number;
  deletions: number;
  undone: boolean;
  sharedWith: string[];
  undoId: string | null;
}

export interface TurnList {
  git: boolean;
  items: TurnItem[];
  notice: string | null;
}

export interface TurnDetail extends TurnItem {
  list: {
    path: string;
    from: string | null;
    kind: string;
    additions: number | null;
    deletions: number | null;
  }[];
  patch: string;
  truncated: boolean;
  notices: string[];
}

export interface Restored {
  files: { path: string; action: string; changedSince: boolean }[];
  undoId: string | null;
}

/** An agent in a folder, and what its turns changed there. */
export class TurnsView {
  readonly agents: AgentsKernel;
  readonly id: string;
  readonly folder: string;

  constructor(agents: AgentsKernel, id: string, folder: string) {
    this.agents = agents;
    this.id = id;
    this.folder = folder;
  }

  static async open(
    cwd: string,
    options: AgentsKernelOptions = {},
  ): Promise<TurnsView> {
    const agents = await AgentsKernel.start(options);
    const { id } = await agents.create({ cli: "practice", cwd });
    return new TurnsView(agents, id, cwd);
  }

  /** Another agent's folder, in the same daemon. */
  async at(cwd: string, name = "Tester"): Promise<TurnsView> {
    const { id } = await this.agents.create({ cli: "practice", cwd, name });
    return new TurnsView(this.agents, id, cwd);
  }

  /** Runs shell lines in a turn. */
  async run(line: string): Promise<void> {
    const { status, body } = await this.agents.ask(
      this.id,
      `[[run:${line}]][[reply:done]]`,
    );
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  async list(): Promise<TurnList> {
    const path = `/api/agents/${this.id}/turn-changes`;
    return (await this.agents.kernel.api.get<TurnList>(path)).body;
  }

  /** Runs shell lines in a turn, and gives what that changed. */
  async change(line: string): Promise<TurnDetail> {
    const known = new Set((await this.list()).items.map((item) => item.turnId));
    await this.run(line);
    const list = await this.list();
    const item = list.items.find(({ turnId }) => !known.has(turnId));
    if (!item) throw new Error(`Nothing changed: ${JSON.stringify(list)}`);
    return (await this.detail(item.turnId)).body;
  }

  async detail(turnId: string): Promise<TestAnswer<TurnDetail>> {
    const path = `/api/agents/${this.id}/turn-changes/${turnId}`;
    return await this.agents.kernel.api.get<TurnDetail>(path);
  }

  async restore(
    turnId: string,
    body: { paths?: string[]; preview?: boolean; overwrite?: boolean } = {},
  ): Promise<TestAnswer<Restored & { code?: string; detail?: string }>> {
    const path = `/api/agents/${this.id}/turn-changes/${turnId}/restore`;
    return await this.agents.kernel.api.post(path, body);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.agents.kernel.stop();
  }
}
