import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import plugin from "../src/index.ts";

testPluginConformance(() => plugin, { openPath: "/api/my-plugin" });
