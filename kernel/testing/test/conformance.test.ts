import { testPluginConformance } from "../src/conformance.ts";
import { createNotes } from "./fixtures/notes.ts";

testPluginConformance(createNotes, { openPath: "/api/notes" });
