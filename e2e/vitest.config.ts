import shared from "@gantry/build/vitest";
import { mergeConfig } from "vitest/config";

// One daemon and one browser at a time: these tests watch both as a user would.
export default mergeConfig(shared, {
  test: {
    include: ["attacks/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
