import { defaultServerConditions } from "vite";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const conditions = ["gantry-source", ...defaultServerConditions];

/**
 * The vitest configuration of every package: workspace packages come from their sources, and a report is left for
 * whoever counts the tests.
 *
 * @example
 * // vitest.config.ts
 * export { default } from "@gantry/build/vitest";
 *
 * @example
 * // with settings of its own; lists such as `include` are added to
 * import { mergeConfig } from "vitest/config";
 * import shared from "@gantry/build/vitest";
 * export default mergeConfig(shared, { test: { environment: "happy-dom" } });
 */
const config: ViteUserConfig = defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["gantry-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    // Two packages are tested at a time, on machines with two slow cores too.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: ["default", "json"],
    outputFile: { json: ".turbo/test-report.json" },
  },
});

export default config;
