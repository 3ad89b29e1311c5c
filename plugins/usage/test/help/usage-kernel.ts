import agents from "@gantry/plugin-agents";
import type { PluginDefinition } from "@gantry/plugin";
import acp from "@gantry/plugin-acp";
import pi from "@gantry/plugin-pi";
import practice from "@gantry/plugin-practice";
import { createRealClock } from "@gantry/agent-kit/testing";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel, TestKernelOptions } from "@gantry/plugin-testing";
import usage from "../../src/index.ts";
import type { UsageReport } from "../../src/sums/usage-report.ts";

/** Agents with their drivers, and the plugin. */
export const PLUGINS: readonly PluginDefinition[] = [
  agents,
  acp,
  pi,
  practice,
  usage,
];

/** Settings of a {@link UsageKernel}. */
export interface UsageKernelOptions extends Omit<
  TestKernelOptions,
  "settings" | "clock"
> {
  clis?: Record<string, object>;
  plugins?: readonly PluginDefinition[];
  /** Time stands still and the test moves it. */
  fakeTime?: boolean;
}

/** A kernel with agents and the plugin, and the calls that most tests make. */
export class UsageKernel {
  readonly kernel: TestKernel;

  private constructor(kernel: TestKernel) {
    this.kernel = kernel;
  }

  static async start({
    clis = {},
    plugins = PLUGINS,
    fakeTime = false,
    ...options
  }: UsageKernelOptions = {}): Promise<UsageKernel> {
    const kernel = await startTestKernel(plugins, {
      ...options,
      ...(fakeTime ? {} : { clock: createRealClock() }),
      settings: { agents: { clis } },
    });
    return new UsageKernel(kernel);
  }

  get api() {
    return this.kernel.api;
  }

  get stranger() {
    return this.kernel.stranger;
  }

  get clock() {
    return this.kernel.clock;
  }

  /** Gives the id. */
  async createAgent(input: { cli: string; name: string }): Promise<string> {
    const { status, body } = await this.api.post<{ id: string }>(
      "/api/agents",
      input,
    );
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.id;
  }

  async ask(agentId: string, text: string): Promise<void> {
    const path = `/api/agents/${agentId}/ask`;
    const { status, body } = await this.api.post(path, {
      ...{ text, timeoutMs: 15_000 },
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
  }

  async usage(query: Record<string, string> = {}) {
    const path = "/api/usage";
    return (
      await this.api.get<UsageReport & { from: string; to: string }>(
        path,
        query,
      )
    ).body;
  }

  stop(): Promise<void> {
    return this.kernel.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
