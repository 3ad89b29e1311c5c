import shared from "./vitest.config.ts";

/** The simulation at its full length. */
export default {
  ...shared,
  test: {
    ...shared.test,
    fileParallelism: false,
    include: ["long/**/*.test.ts"],
    testTimeout: 3_600_000,
  },
};
