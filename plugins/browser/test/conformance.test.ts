import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import browser from "../src/index.ts";

testPluginConformance(() => browser, { openPath: "/api/browser/history" });
