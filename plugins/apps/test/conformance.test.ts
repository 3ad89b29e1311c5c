import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import { apps } from "./support/apps.ts";

testPluginConformance(() => apps, { openPath: "/api/apps" });
