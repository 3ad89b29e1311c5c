import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/main.ts"],
  format: "esm",
  platform: "node",
  target: "node22",
  outExtension: () => ({ js: ".mjs" }),
  // Everything but what is read from its own files at run time: one bundle starts several times faster.
  noExternal: [/^(?!tailwindcss$|@scalar\/)/],
  external: ["tailwindcss", "@scalar/api-reference"],
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
