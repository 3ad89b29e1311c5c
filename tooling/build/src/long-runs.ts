import type { Plugin } from "vitest/config";

const LONG_TEST_TIMEOUT_MS = 1_800_000;

/**
 * Tells normal and long runs apart: a run in the mode `long` sets what `isLongRun` of `@gantry/build/testing` reads and
 * gives each test half an hour; any other leaves out the files named `*.long.test.ts`.
 */
export function separateLongRuns(): Plugin {
  return {
    name: "gantry-long-runs",
    config: (_config, { mode }) => ({
      test:
        mode === "long"
          ? {
              env: { GANTRY_LONG_RUN: "1" },
              testTimeout: LONG_TEST_TIMEOUT_MS,
              hookTimeout: LONG_TEST_TIMEOUT_MS,
            }
          : {
              env: { GANTRY_LONG_RUN: "" },
              exclude: ["**/*.long.test.ts"],
            },
    }),
  };
}
