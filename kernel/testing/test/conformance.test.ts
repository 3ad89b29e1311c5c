import { testPluginConformance } from "@gantry/plugin-testing/conformance";
import notes from "./fixtures/notes.ts";

testPluginConformance(() => notes, { openPath: "/api/notes" });
