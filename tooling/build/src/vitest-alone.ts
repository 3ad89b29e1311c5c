import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vitest/config";

/** What a test's tag looks like in its source. */
const TAG = /tags: *\[?"alone"/;

/**
 * Keeps tests apart that fill the machine: those with the tag `alone` are skipped, but in the mode of that name, which runs
 * nothing else, and in the mode `all`. The script for it in a package is `"test:alone": "vitest run --mode alone --tags-filter=alone"`.
 */
export function separateAlone(): Plugin {
  return {
    name: "gantry-alone",
    config(config, { mode }) {
      const isAlone = mode === "alone";
      // Changed in place, since what a hook returns is added to lists.
      const { root = process.cwd() } = config;
      const test = (config.test ??= {});
      test.tags = [
        {
          name: "alone",
          description: "Fills the machine: nothing else runs beside it.",
          ...(isAlone || mode === "all" ? {} : { skip: true }),
        },
      ];
      if (isAlone) {
        // Other files would be loaded for nothing.
        test.include = globSync("test/**/*.test.ts", { cwd: root }).filter(
          (file) => TAG.test(readFileSync(join(root, file), "utf8")),
        );
        test.maxWorkers = 1;
        test.outputFile = { json: ".turbo/test-alone-report.json" };
      }
    },
  };
}
