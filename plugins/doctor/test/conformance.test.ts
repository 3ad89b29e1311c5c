import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import doctor from "../src/index.ts";

testPluginConformance(() => doctor, { openPath: "/api/doctor" });
