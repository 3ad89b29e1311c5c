import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import backup from "../src/index.ts";

testPluginConformance(() => backup, { openPath: "/api/backup" });
