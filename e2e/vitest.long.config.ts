import shared from "./vitest.config.ts";

/** The suites that take minutes. */
export default {
  ...shared,
  test: {
    ...shared.test,
    fileParallelism: false,
    include: ["long/**/*.test.ts"],
    testTimeout: 1_800_000,
  },
};
