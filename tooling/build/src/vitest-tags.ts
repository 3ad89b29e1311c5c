import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vitest/config";
import { isThorough } from "./thorough.ts";

/** What the tag looks like in the source of a test. */
const ALONE = /tags: *\[?"alone"/;

/**
 * Keeps tests with tags apart from those that run each time:
 *
 * - `alone`: fills the machine. It runs in the mode of that name, which runs nothing else. The script for it in a package is
 *   `"test:alone": "vitest run --mode alone --tags-filter=alone"`.
 * - `thorough`: proves in more ways what others prove in one. It runs in `npm run test:all`.
 *
 * The mode `all` runs all of them.
 */
export function separateTags(): Plugin {
  return {
    name: "gantry-tags",
    config(config, { mode }) {
      const isAlone = mode === "alone";
      const isAll = mode === "all";
      // Changed in place, since what a hook returns is added to lists.
      const { root = process.cwd() } = config;
      const test = (config.test ??= {});
      test.tags = [
        {
          name: "alone",
          description: "Fills the machine: nothing else runs beside it.",
          ...(isAlone || isAll ? {} : { skip: true }),
        },
        {
          name: "thorough",
          description: "Runs in `npm run test:all`.",
          ...(isThorough || isAll ? {} : { skip: true }),
        },
      ];
      if (isAlone) {
        // Other files would be loaded for nothing.
        test.include = globSync("test/**/*.test.ts", { cwd: root }).filter(
          (file) => ALONE.test(readFileSync(join(root, file), "utf8")),
        );
        test.maxWorkers = 1;
        test.outputFile = { json: ".turbo/test-alone-report.json" };
      }
    },
  };
}
