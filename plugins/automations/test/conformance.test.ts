import { AgentRuns } from "@gantry/plugin-agents/contract";
import { provideFake } from "@gantry/plugin-testing";
import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import plugin from "../src/index.ts";
import { createFakeAgents } from "./support/fake-agents.ts";

testPluginConformance(() => plugin, {
  beside: () => [provideFake(AgentRuns, createFakeAgents().service)],
  openPath: "/api/automations",
});
