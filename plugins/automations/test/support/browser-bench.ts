import { fileURLToPath } from "node:url";
import { AgentRuns } from "@gantry/plugin-agents/contract";
import { provideFake } from "@gantry/plugin-testing";
import { startBrowserStage } from "@gantry/plugin-testing/browser";
import type { BrowserStage } from "@gantry/plugin-testing/browser";
import type { AutomationView } from "../../src/wire/automation.ts";
import { createAgentPages } from "./agent-pages.ts";
import { createFakeAgents } from "./fake-agents.ts";
import type { FakeAgents } from "./fake-agents.ts";
import { createHomeKeeper } from "./home-keeper.ts";
import type { HomeKeeper } from "./home-keeper.ts";

/** A kernel that serves the built shell and the built automations, and a browser to look at them. */
export interface BrowserBench extends BrowserStage {
  agents: FakeAgents;
  keeper: HomeKeeper;
  create(input?: object): Promise<AutomationView>;
}

const packageFolder = fileURLToPath(new URL("../../", import.meta.url));

export async function startBrowserBench(): Promise<BrowserBench> {
  const agents = createFakeAgents();
  const keeper = createHomeKeeper();
  const stage = await startBrowserStage(
    [
      provideFake(AgentRuns, agents.service),
      createAgentPages(agents),
      keeper.plugin,
    ],
    { package: packageFolder, reader: { timezoneId: "Europe/Berlin" } },
  );
  return {
    ...stage,
    agents,
    keeper,
    async create(input = {}) {
      const { body } = await stage.kernel.api.post<{
        automation: AutomationView;
      }>("/api/automations", {
        name: "Morning brief",
        prompt: "Say what is new.",
        ...input,
      });
      return body.automation;
    },
  };
}
