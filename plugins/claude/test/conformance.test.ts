import { AgentDrivers } from "@gantry/agent-kit";
import { provideFake } from "@gantry/plugin-testing";
import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import plugin from "../src/index.ts";

testPluginConformance(() => plugin, {
  beside: () => [
    provideFake(AgentDrivers, {
      add: async () => undefined,
      folder: async () => "/nonexistent",
    }),
  ],
});
