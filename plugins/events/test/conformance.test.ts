// By its path: the test kernel brings this plugin, so that a dependency on its package would be a circle.
import { testPluginConformance } from "../../../kernel/testing/src/conformance.ts";
import events from "../src/index.ts";

testPluginConformance(() => events, { openPath: "/api/events" });
