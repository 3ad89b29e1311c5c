import { mergeConfig } from "vitest/config";
import shared from "@gantry/build/vitest";

export default mergeConfig(shared, {
  test: {
    include: ["test/agents/**/*.test.ts"],
    exclude: [],
    testTimeout: 60_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
