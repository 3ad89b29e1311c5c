import { extname, join, resolve } from "node:path";
import { defaultServerConditions } from "vite";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { TEST_TIMEOUT_MS, WAIT_MS } from "./patience.ts";
import { separateTags } from "./vitest-tags.ts";
import { chooseTemporaryFolder } from "./vitest-temporary.ts";

const conditions = ["gantry-source", ...defaultServerConditions];

const TMPDIR = chooseTemporaryFolder();

const ROOT = resolve(import.meta.dirname, "../../..").replaceAll("\\", "/");

/** Node loads these in a third of the time that Vite takes, and as a daemon would. */
const LOADED_BY_NODE = [
  // Sources of packages but for pages.
  new RegExp(
    `^${ROOT.replace(/[^\w/]/g, "\\$&")}/(e2e|kernel|plugins|tooling)/(.*/)?src/.*\\.ts$`,
  ),
  // Servers of plugins, as they were built.
  /\/dist\/[\w-]+\.mjs(\?|$)/,
];

/** A module of this folder, built or not. */
function besideThis(name: string): string {
  return join(import.meta.dirname, `${name}${extname(import.meta.url)}`);
}

/**
 * The vitest configuration of every package: workspace packages come from their sources, and a report is left for the
 * summary of all tests.
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
  plugins: [separateTags()],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["gantry-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: [besideThis("vitest-temporary")],
    setupFiles: [besideThis("vitest-setup")],
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
    server: { deps: { external: LOADED_BY_NODE } },
    execArgv: ["--conditions=gantry-source"],
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    expect: { poll: { timeout: WAIT_MS } },
    reporters: ["default", "json", besideThis("vitest-errors")],
    outputFile: { json: ".turbo/test-report.json" },
  },
});

export default config;
