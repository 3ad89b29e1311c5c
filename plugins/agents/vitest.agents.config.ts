import { mergeConfig } from "vitest/config";
import shared from "@gantry/build/vitest";

const config = mergeConfig(shared, {
  test: {
    testTimeout: 60_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    outputFile: { json: ".turbo/test-agents-report.json" },
  },
});
// Merging would add to the list; only these are meant.
config.test = { ...config.test, include: ["test/agents/**/*.test.ts"] };

export default config;
