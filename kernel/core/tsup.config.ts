import { dirname } from "node:path";
import { defineConfig } from "tsup";
import type { Options } from "tsup";
import { asciiOutput } from "../../tooling/build/src/ascii.ts";

/**
 * listhen loads forge for the certificates that few ask for, and forge is more than half of what a start would run. So
 * it is run when it is first used.
 */
const lateForge: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "late-forge",
  setup(build) {
    build.onResolve({ filter: /^node-forge$/ }, ({ kind, importer }) =>
      kind === "import-statement"
        ? { path: importer, namespace: "late-forge" }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: "late-forge" }, ({ path }) => ({
      resolveDir: dirname(path),
      contents: `
        let forge;
        export default new Proxy({}, {
          get: (_, name) => (forge ??= require("node-forge"))[name],
        });
      `,
    }));
  },
};

/** Leaves out zod's texts in all languages, which come with all that it exports; English is taken on its own. */
const fewLocales: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "few-locales",
  setup(build) {
    build.onLoad(
      { filter: /[\\/]zod[\\/].*[\\/]locales[\\/]index\.js$/ },
      () => ({
        contents: "export {};",
      }),
    );
  },
};

/** How what runs on Node is bundled, here and for the command line. */
export const bundle: Options = {
  format: "esm",
  platform: "node",
  target: "node22",
  outExtension: () => ({ js: ".mjs" }),
  // Everything: one bundle starts several times faster.
  noExternal: [/./],
  esbuildPlugins: [lateForge, fewLocales],
  plugins: [asciiOutput],
  esbuildOptions(options) {
    options.conditions = ["gantry-source"];
    // Bundled CommonJS asks for Node's own modules with `require`.
    options.banner = {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    };
  },
  // `node:sqlite` has no name without its prefix.
  removeNodeProtocol: false,
  splitting: true,
  clean: true,
};

export default defineConfig({ ...bundle, entry: { index: "src/index.ts" } });
