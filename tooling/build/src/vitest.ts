import { readFileSync, statfsSync } from "node:fs";
import { extname, join } from "node:path";
import { defaultServerConditions } from "vite";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const conditions = ["gantry-source", ...defaultServerConditions];

const MEMORY = "/dev/shm";
const ROOM_BYTES = 2 * 1024 ** 3;

/**
 * A place for temporary folders where a write that has to be on disk does not wait for one: tests kill processes, never
 * the machine. Nothing where there is none, or a small one, or one that programs cannot run from.
 */
function findMemoryFolder(): { TMPDIR?: string } {
  try {
    const options = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([, place]) => place === MEMORY)?.[3]
      ?.split(",");
    const { bavail, bsize } = statfsSync(MEMORY);
    const isUsable =
      options?.includes("rw") &&
      !options.includes("noexec") &&
      bavail * bsize > ROOM_BYTES;
    return isUsable ? { TMPDIR: MEMORY } : {};
  } catch {
    return {};
  }
}

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
    setupFiles: [
      join(import.meta.dirname, `vitest-setup${extname(import.meta.url)}`),
    ],
    // Modules hold no state (importing one does nothing), so that files need no process each.
    isolate: false,
    env: {
      ...findMemoryFolder(),
      // Hundreds of daemons and agents are started, all from the same few sources.
      NODE_COMPILE_CACHE: join(
        import.meta.dirname,
        "../node_modules/.cache/node-compile",
      ),
    },
    // Two packages are tested at a time, on machines with two slow cores too.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
    reporters: ["default", "json"],
    outputFile: { json: ".turbo/test-report.json" },
  },
});

export default config;
