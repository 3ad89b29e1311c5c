import shared from "./vitest.config.ts";

/** The simulation at its full length, and a long history. */
export default {
  ...shared,
  test: {
    ...shared.test,
    fileParallelism: false,
    include: ["test/long/*.long.ts"],
    testTimeout: 3_600_000,
  },
};
