import agents from "@gantry/plugin-agents";
import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import workspace from "../src/index.ts";

testPluginConformance(() => workspace, {
  openPath: "/api/agents/agt_none/files",
  beside: () => [agents],
});
