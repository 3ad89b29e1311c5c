import { createRealClock } from "@gantry/agent-kit/testing";
import acp from "@gantry/plugin-acp";
import agents from "@gantry/plugin-agents";
import practice from "@gantry/plugin-practice";
import { startTestKernel, type TestKernel } from "@gantry/plugin-testing";
import workspace from "../../src/index.ts";

/** Settings of a test. */
export interface WorkspaceKernelOptions {
  /** Time stands still and the test moves it. */
  fakeTime?: boolean;
  startAt?: string;
}

/** A kernel with the plugin and with agents that need no model. */
export class WorkspaceKernel {
  readonly kernel: TestKernel;

  private constructor(kernel: TestKernel) {
    this.kernel = kernel;
  }

  static async start({
    fakeTime = false,
    ...rest
  }: WorkspaceKernelOptions = {}): Promise<WorkspaceKernel> {
    const kernel = await startTestKernel([agents, acp, practice, workspace], {
      ...rest,
      ...(fakeTime ? {} : { clock: createRealClock() }),
    });
    return new WorkspaceKernel(kernel);
  }

  /** Makes an agent, in a folder of its own unless `cwd` is given. */
  async create(
    fields: { name?: string; cwd?: string } = {},
  ): Promise<{ id: string; cwd: string }> {
    const answer = await this.kernel.api.post<{ id: string; cwd: string }>(
      "/api/agents",
      { name: "Tester", cli: "practice", ...fields },
    );
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }

  /** Sends a message and waits for the answer. */
  async ask(id: string, text: string): Promise<void> {
    const path = `/api/agents/${id}/ask`;
    const answer = await this.kernel.api.post(path, { text, timeoutMs: 15000 });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kernel.stop();
  }
}
