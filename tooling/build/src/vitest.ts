import { availableParallelism } from "node:os";
import { extname, join } from "node:path";
import { defaultServerConditions } from "vite";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { separateLongRuns } from "./long-runs.ts";
import { LongestFirst } from "./longest-first.ts";
import { PATIENCE_MS } from "./patience.ts";
import { chooseTemporaryFolder } from "./vitest-temporary.ts";

const conditions = ["gantry-source", ...defaultServerConditions];

const TMPDIR = chooseTemporaryFolder();

/** A module of this folder, built or not. */
function besideThis(name: string): string {
  return join(import.meta.dirname, `${name}${extname(import.meta.url)}`);
}

/**
 * The vitest configuration of every package: workspace packages come from their sources, and a report is left
 * for the code that counts the tests.
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
  plugins: [separateLongRuns()],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["gantry-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: [besideThis("vitest-temporary")],
    setupFiles: [besideThis("vitest-setup")],
    // Much of the time is waiting for programs that start; `npm test` runs one package at a time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // Modules hold no state (importing one does nothing), so that files need no process each.
    isolate: false,
    env: {
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      // Hundreds of daemons and agents are started, all from the same few sources.
      NODE_COMPILE_CACHE: join(
        import.meta.dirname,
        "../node_modules/.cache/node-compile",
      ),
    },
    // Limits only end what hangs: a test that passes costs as little with a longer one, and on two busy cores a step that
    // takes a second elsewhere takes half a minute.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    reporters: ["default", "json"],
    outputFile: { json: ".turbo/test-report.json" },
  },
});

export default config;
