import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import agents from "../src/index.ts";

testPluginConformance(() => agents, { openPath: "/api/agents" });
