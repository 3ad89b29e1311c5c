import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import snippets from "../src/index.ts";

testPluginConformance(() => snippets, { openPath: "/api/snips" });
