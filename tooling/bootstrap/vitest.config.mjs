// Its own, since this folder is no package of the workspace.
export default {
  test: {
    include: ["test/**/*.test.mjs"],
    reporters: ["default", "json"],
    outputFile: { json: ".turbo/test-bootstrap-report.json" },
  },
};
