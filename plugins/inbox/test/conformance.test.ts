import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import inbox from "../src/index.ts";

testPluginConformance(() => inbox, { openPath: "/api/inbox" });
