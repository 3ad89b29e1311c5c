import { AgentRuns } from "@gantry/plugin-agents/contract";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import type { PluginDefinition } from "@gantry/plugin";
import type {
  TestAnswer,
  TestKernel,
  TestKernelOptions,
} from "@gantry/plugin-testing";
import plugin from "../../src/index.ts";
import { RunFinished } from "../../src/contract.ts";
import type { AutomationView } from "../../src/wire/automation.ts";
import type { RunRecord } from "../../src/wire/run.ts";
import { createFakeAgents } from "./fake-agents.ts";
import type { FakeAgents } from "./fake-agents.ts";

/** A kernel with the automations, played agents and short ways to what tests do most. */
export interface Bench extends AsyncDisposable {
  kernel: TestKernel;
  agents: FakeAgents;
  create(input?: object): Promise<AutomationView>;
  /** Creates an automation with a webhook; gives its secret too. */
  createHook(
    input?: object,
  ): Promise<{ automation: AutomationView; secret: string }>;
  get(id: string): Promise<AutomationView>;
  runs(id: string): Promise<RunRecord[]>;
  runNow(id: string): Promise<RunRecord>;
  fire(
    id: string,
    secret: string,
    body?: Uint8Array,
    headers?: Record<string, string>,
  ): Promise<TestAnswer<{ run: RunRecord; code?: string }>>;
  /** Waits until `count` runs have ended or been skipped, as events tell. Runs that end during a restart do not count. */
  finished(count: number): Promise<void>;
  /** Waits until `count` runs of an automation have ended or been skipped. Gives all of them. */
  ended(id: string, count: number): Promise<RunRecord[]>;
}

export interface BenchOptions {
  startAt?: string;
  agents?: FakeAgents;
  beside?: readonly PluginDefinition[];
  settings?: object;
  /** Home of a daemon that was. */
  home?: string;
  config?: TestKernelOptions["config"];
}

export async function startBench(options: BenchOptions = {}): Promise<Bench> {
  const agents = options.agents ?? createFakeAgents();
  const kernel = await startTestKernel(
    [provideFake(AgentRuns, agents.service), ...(options.beside ?? []), plugin],
    {
      startAt: options.startAt,
      home: options.home,
      config: options.config,
      settings: options.settings && { automations: options.settings },
    },
  );
  const { api } = kernel;

  async function save(input: object) {
    const answer = await api.post<{
      automation: AutomationView;
      webhookSecret?: string;
    }>("/api/automations", {
      name: "Morning brief",
      prompt: "Say what is new.",
      ...input,
    });
    if (answer.status !== 200)
      throw new Error(`Not created: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async function runs(id: string): Promise<RunRecord[]> {
    const { body } = await api.get<{ items: RunRecord[] }>(
      `/api/automations/${id}/runs`,
      { limit: 500 },
    );
    return body.items;
  }

  return {
    kernel,
    agents,
    runs,
    async ended(id, count) {
      for (;;) {
        const all = await runs(id);
        if (all.filter((run) => run.result !== "running").length >= count)
          return all;
      }
    },
    create: async (input = {}) => (await save(input)).automation,
    async createHook(input = {}) {
      const saved = await save({ webhook: true, ...input });
      return { automation: saved.automation, secret: saved.webhookSecret! };
    },
    async get(id) {
      return (await api.get<AutomationView>(`/api/automations/${id}`)).body;
    },
    async runNow(id) {
      const { body } = await api.post<{ run: RunRecord }>(
        `/api/automations/${id}/run`,
      );
      return body.run;
    },
    fire: (id, secret, body, headers = {}) =>
      kernel.stranger.request("POST", `/api/automations/${id}/fire`, {
        body,
        headers: { authorization: `Bearer ${secret}`, ...headers },
      }),
    async finished(count) {
      while (kernel.events.all(RunFinished).length < count)
        await kernel.events.next(RunFinished);
    },
    [Symbol.asyncDispose]: () => kernel.stop(),
  };
}

/** A schedule as tests send it. */
export const daily = (time: string, more: object = {}) => ({
  frequency: "daily",
  time,
  timeZone: "UTC",
  ...more,
});
