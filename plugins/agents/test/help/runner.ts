import { definePlugin, type PluginDefinition } from "@gantry/plugin";
import {
  AgentRuns,
  type AgentRunInput,
  type AgentRunOutcome,
} from "../../src/contract.ts";

const NEVER = new AbortController().signal;

/** Runs agents as automations do, from another plugin. */
export class Runner {
  readonly plugin: PluginDefinition = definePlugin({
    id: "runner",
    api: 1,
    summary: "Runs agents, as automations do",
    mounts: [],
    needs: { runs: AgentRuns },
    setup: (ctx) => void (this.#service = ctx.needs.runs),
  });
  #service: AgentRuns | undefined;
  #count = 0;

  get service(): AgentRuns {
    if (!this.#service) throw new Error("The kernel has not started.");
    return this.#service;
  }

  async createAgent(cli: string): Promise<string> {
    this.#count += 1;
    const input = {
      automationId: `aut_${this.#count}`,
      name: `Run ${this.#count}`,
      cli,
      model: null,
      cwd: null,
    };
    return (await this.service.createAgent(input, NEVER)).agentId;
  }

  run(
    agentId: string,
    prompt: string,
    more: Partial<AgentRunInput> = {},
    signal = NEVER,
  ): Promise<AgentRunOutcome> {
    this.#count += 1;
    const input: AgentRunInput = {
      agentId,
      runId: `run_${this.#count}`,
      prompt,
      freshSession: true,
      maxCostUsd: null,
      timeoutMs: 30_000,
      permissions: { mode: "reject", tools: [] },
      ...more,
    };
    return this.service.run(input, signal);
  }
}
