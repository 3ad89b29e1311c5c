import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdentifier } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type {
  TestAnswer,
  TestKernel,
  TestKernelOptions,
} from "@gantry/plugin-testing";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import { onTestFinished } from "vitest";
import type { BrowserStatus, Tab } from "../../src/contract.ts";
import browser from "../../src/index.ts";
import { createAgents } from "./create-agents.ts";
import type { FakeAgents } from "./create-agents.ts";

/** A kernel with the plugin and a stand-in for agents, and short ways to call it. */
export interface BrowsingBench extends TestKernel {
  readonly agents: FakeAgents;
  /** Opens a tab and returns the answer, whatever its status. */
  post(url: string, agentId?: string): Promise<TestAnswer<Tab>>;
  tabs(): Promise<Tab[]>;
  status(): Promise<BrowserStatus>;
  /** Resolves when the event of a change of tabs was emitted after `change`. */
  announced(change: () => Promise<unknown>): Promise<void>;
}

/** Settings with which this machine's browser runs anywhere, even as root and in containers. */
export const REAL = { command: chromiumPath, sandbox: "off" };

/** Settings with the stand-in of `fake-chromium.mjs`. */
export const FAKE = {
  command: join(import.meta.dirname, "fake-chromium.mjs"),
  sandbox: "off",
};

/** Starts a kernel whose plugin has these settings, with other plugins beside it. */
export async function startBrowsing(
  settings: object,
  {
    beside = [],
    ...options
  }: TestKernelOptions & { beside?: readonly PluginDefinition[] } = {},
): Promise<BrowsingBench> {
  const agents = createAgents();
  const kernel = await startTestKernel([browser, agents.plugin, ...beside], {
    ...options,
    settings: { browser: settings },
  });
  const bench = {
    agents,
    post: (url: string, agentId?: string) =>
      kernel.api.post<Tab>("/api/browser/tabs", {
        ...{ url, agentId: agentId ?? null },
      }),
    tabs: async () =>
      (await kernel.api.get<{ items: Tab[] }>("/api/browser/tabs")).body.items,
    status: async () =>
      (await kernel.api.get<BrowserStatus>("/api/browser/status")).body,
  };
  return Object.defineProperties(
    kernel,
    Object.getOwnPropertyDescriptors(bench),
  ) as BrowsingBench;
}

/** Adds agents to a bench that may open these sites, and returns their ids. */
export async function addAgents(
  { agents, api }: BrowsingBench,
  count: number,
  sites: readonly string[] = ["*"],
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => createIdentifier("agt"));
  for (const id of ids) {
    agents.agents.set(id, { id, name: "Agent" });
    await api.put(`/api/browser/policies/${id}`, { tier: "act", sites });
  }
  return ids;
}

/** Writes an executable shell script that stands in for a browser, and is removed when the test is over. */
export async function writeProgram(script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-program-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "browser");
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}
