import { defineConfig } from "tsup";
import type { Options } from "tsup";
import { asciiOutput } from "../../tooling/build/src/ascii.ts";

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

export default defineConfig({
  entry: {
    index: "src/index.ts",
    main: "../cli/src/main.ts",
    // Programs that the daemon runs, by their names.
    "reading-git": "../system/src/git/reading-git.ts",
  },
  format: "esm",
  platform: "node",
  target: "node22",
  outExtension: () => ({ js: ".mjs" }),
  // One bundle starts several times faster.
  noExternal: [/.*/],
  esbuildPlugins: [fewLocales],
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
});
