import type { Mutant } from "./mutant.ts";

/** Protections of the plugin that serves the pages. */
export const shellMutants: readonly Mutant[] = [
  {
    name: "Path confinement: what is served",
    folder: "plugins/shell",
    file: "src/resolve-inside.ts",
    find: "file.startsWith(root + sep) ? file : undefined",
    by: "file",
    tests: ["test/static-folder.test.ts"],
  },
];
