import shared from "./vitest.config.ts";

/** The suites that drive real agent CLIs. */
export default {
  ...shared,
  test: {
    ...shared.test,
    fileParallelism: false,
    include: ["agents/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    outputFile: { json: ".turbo/test-agents-report.json" },
  },
};
