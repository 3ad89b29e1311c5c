import { fileURLToPath } from "node:url";
import type { PluginDefinition } from "@gantry/plugin";
import {
  startTestKernel,
  type TestAnswer,
  type TestKernel,
  type TestKernelOptions,
} from "@gantry/plugin-testing";
import type * as z from "zod";
import type { AgentsConfig } from "../../src/config.ts";
import agents from "../../src/index.ts";
import type { AgentView } from "../../src/records/agent-record.ts";
import type { taskView } from "../../src/records/task-record.ts";
import type { Entry } from "../../src/transcript/entry.ts";
import { createRealClock } from "./real-clock.ts";
import { until } from "./wait.ts";

export type TaskView = z.infer<typeof taskView>;
export type Clis = NonNullable<
  z.input<typeof import("../../src/config.ts").agentsConfig>["clis"]
>;

/** Stand-ins by the drivers that they are for. */
const DRIVERS = {
  "fake-pi": "pi",
  "fake-claude": "claude",
  "fake-codex": "codex",
  "played-claude": "claude",
  "rough-acp": "acp",
} as const;

/** How a stand-in is configured as a CLI. */
export function standIn(
  name: keyof typeof DRIVERS,
  env: Record<string, string> = {},
): Clis[string] {
  const file = fileURLToPath(
    new URL(`../stand-ins/${name}.ts`, import.meta.url),
  );
  return {
    driver: DRIVERS[name],
    command: process.execPath,
    args: [file],
    env,
  };
}

/** Settings of the plugin in a test. */
export interface AgentsKernelOptions extends Omit<
  TestKernelOptions,
  "settings" | "clock"
> {
  clis?: Clis;
  limits?: Partial<AgentsConfig["limits"]>;
  workFolder?: string;
  beside?: readonly PluginDefinition[];
  /** Time stands still and the test moves it. */
  fakeTime?: boolean;
}

/** A kernel with the plugin, and the calls that most tests make. */
export class AgentsKernel {
  readonly kernel: TestKernel;

  private constructor(kernel: TestKernel) {
    this.kernel = kernel;
  }

  static async start(options: AgentsKernelOptions = {}): Promise<AgentsKernel> {
    const {
      clis = {},
      limits,
      workFolder,
      beside = [],
      fakeTime = false,
      ...rest
    } = options;
    const kernel = await startTestKernel([agents, ...beside], {
      ...rest,
      ...(fakeTime ? {} : { clock: createRealClock() }),
      settings: {
        agents: {
          clis,
          ...(limits ? { limits } : {}),
          ...(workFolder ? { workFolder } : {}),
        },
      },
    });
    return new AgentsKernel(kernel);
  }

  async create(input: {
    cli: string;
    name?: string;
    cwd?: string;
    [field: string]: unknown;
  }): Promise<AgentView> {
    const answer = await this.kernel.api.post<AgentView>("/api/agents", {
      name: "Tester",
      ...input,
    });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }

  async get(id: string): Promise<AgentView> {
    return (await this.kernel.api.get<AgentView>(`/api/agents/${id}`)).body;
  }

  ask(
    id: string,
    text: string,
    timeoutMs = 15_000,
  ): Promise<
    TestAnswer<{
      answer: string;
      costUsd: number | null;
      stopReason: string;
      [field: string]: unknown;
    }>
  > {
    return this.kernel.api.post(`/api/agents/${id}/ask`, { text, timeoutMs });
  }

  async prompt(
    id: string,
    message: string,
    kind = "prompt",
  ): Promise<{ taskId: string; delivery: string }> {
    const answer = await this.kernel.api.post<{
      taskId: string;
      delivery: string;
    }>(`/api/agents/${id}/prompt`, { message, kind });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }

  async close(id: string): Promise<void> {
    await this.kernel.api.post(`/api/agents/${id}/close`);
  }

  async tasks(id: string): Promise<TaskView[]> {
    return (
      await this.kernel.api.get<{ items: TaskView[] }>(
        `/api/agents/${id}/tasks`,
      )
    ).body.items;
  }

  /** The whole conversation, oldest first. */
  async entries(id: string): Promise<Entry[]> {
    const { body } = await this.kernel.api.get<{ items: Entry[] }>(
      `/api/agents/${id}/messages`,
      { limit: 500 },
    );
    return body.items.reverse();
  }

  /** Waits until the agent has such a state. */
  async untilAgent(
    id: string,
    fits: (agent: AgentView) => boolean,
    what: string,
  ): Promise<AgentView> {
    return await until(async () => {
      const agent = await this.get(id);
      return fits(agent) && agent;
    }, what);
  }

  /** Waits for a turn that runs. */
  async untilWorking(id: string): Promise<void> {
    await this.untilAgent(
      id,
      ({ activity }) => activity === "working",
      "the agent works",
    );
  }

  /** Waits until the CLI has the newest message. One that it does not have yet would go back into the queue. */
  async untilDelivered(id: string): Promise<void> {
    await until(
      async () => (await this.tasks(id))[0]?.status === "delivered",
      "the CLI has the message",
    );
  }

  async untilIdle(id: string): Promise<AgentView> {
    return await this.untilAgent(
      id,
      ({ activity }) => activity === "idle",
      "the agent is at rest",
    );
  }

  async untilEntry(
    id: string,
    fits: (entry: Entry) => boolean,
    what: string,
  ): Promise<Entry> {
    return await until(async () => (await this.entries(id)).find(fits), what);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kernel.stop();
  }
}
