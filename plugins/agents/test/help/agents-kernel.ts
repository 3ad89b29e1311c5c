import type { PluginDefinition } from "@gantry/plugin";
import {
  startTestKernel,
  type TestAnswer,
  type TestKernel,
  type TestKernelOptions,
} from "@gantry/plugin-testing";
import type * as z from "zod";
import type { AgentsConfig } from "../../src/config.ts";
import type { TurnCharge } from "../../src/contract.ts";
import agents from "../../src/index.ts";
import type { AgentView } from "../../src/records/agent-record.ts";
import type { taskView } from "../../src/records/task-record.ts";
import type { Entry } from "../../src/transcript/entry.ts";
import { createRealClock, toStandIn, until } from "@gantry/agent-kit/testing";
import { ROUGH_ACP } from "@gantry/plugin-acp/testing";
import { FAKE_CLAUDE } from "@gantry/plugin-claude/testing";
import { FAKE_CODEX } from "@gantry/plugin-codex/testing";
import { FAKE_PI } from "@gantry/plugin-pi/testing";
import { ChargeReader } from "./charge-reader.ts";
import { DRIVER_PLUGINS } from "./driver-plugins.ts";

export type TaskView = z.infer<typeof taskView>;
export type Clis = NonNullable<
  z.input<typeof import("../../src/config.ts").agentsConfig>["clis"]
>;

/** Stand-ins, with the drivers that they are for. */
const STAND_INS = {
  "fake-pi": { driver: "pi", file: FAKE_PI },
  "fake-claude": { driver: "claude", file: FAKE_CLAUDE },
  "fake-codex": { driver: "codex", file: FAKE_CODEX },
  "rough-acp": { driver: "acp", file: ROUGH_ACP },
} as const;

/** How a stand-in is configured as a CLI. */
export function standIn(
  name: keyof typeof STAND_INS,
  env: Record<string, string> = {},
): NonNullable<Clis[string]> {
  const { driver, file } = STAND_INS[name];
  return { driver, ...toStandIn(file, env) };
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
  /** Plugins that add drivers; all of them unless given. */
  drivers?: readonly PluginDefinition[];
  /** Whether to use a fake clock, which the test advances. */
  fakeTime?: boolean;
}

/** A kernel with the plugin, and the calls that most tests make. */
export class AgentsKernel {
  readonly kernel: TestKernel;

  readonly #charges: ChargeReader;

  private constructor(kernel: TestKernel, charges: ChargeReader) {
    this.kernel = kernel;
    this.#charges = charges;
  }

  static async start(options: AgentsKernelOptions = {}): Promise<AgentsKernel> {
    const {
      clis = {},
      limits,
      workFolder,
      beside = [],
      drivers = DRIVER_PLUGINS,
      fakeTime = false,
      ...rest
    } = options;
    const charges = new ChargeReader();
    const plugins = [agents, charges.plugin, ...drivers, ...beside];
    const kernel = await startTestKernel(plugins, {
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
    return new AgentsKernel(kernel, charges);
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

  /** What turns were charged, of one agent or of all. */
  async charges(agentId?: string): Promise<TurnCharge[]> {
    return await this.#charges.read(agentId);
  }

  /** The cost of all charges; `null` if none is known. */
  async charged(agentId?: string): Promise<number | null> {
    return (await this.charges(agentId)).reduce<number | null>(
      (sum, { usage: { costUsd } }) =>
        costUsd === null ? sum : (sum ?? 0) + costUsd,
      null,
    );
  }

  /** The whole conversation, oldest first. */
  async entries(id: string): Promise<Entry[]> {
    const { body } = await this.kernel.api.get<{ items: Entry[] }>(
      `/api/agents/${id}/messages`,
      { limit: 500 },
    );
    return body.items.reverse();
  }

  /** Waits until the state of the agent fits. */
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

  /** Waits until a turn is running. */
  async untilWorking(id: string): Promise<void> {
    await this.untilAgent(
      id,
      ({ activity }) => activity === "working",
      "the agent works",
    );
  }

  async untilIdle(id: string): Promise<AgentView> {
    return await this.untilAgent(
      id,
      ({ activity }) => activity === "idle",
      "the agent is idle",
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
