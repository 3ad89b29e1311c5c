import { readPatience } from "./patience.mjs";

// Its own, since this folder is no package of the workspace.
export default {
  test: {
    include: ["test/**/*.test.mjs"],
    testTimeout: 60_000 * readPatience(),
    hookTimeout: 60_000 * readPatience(),
    reporters: ["default", "json"],
    outputFile: { json: ".turbo/test-bootstrap-report.json" },
  },
};
