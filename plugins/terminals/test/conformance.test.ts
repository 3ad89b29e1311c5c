import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import terminals from "../src/index.ts";

testPluginConformance(() => terminals, { openPath: "/api/terminals" });
