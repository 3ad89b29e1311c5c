import { dirname, join } from "node:path";
import { defineConfig } from "tsup";
import type { Options } from "tsup";
import { asciiOutput } from "../../tooling/build/src/ascii.ts";

/**
 * Modules that listhen imports and few starts need: forge makes certificates, consola prints warnings. Each becomes a file of
 * its own, loaded when it is first used. Otherwise their text alone would be a third of what a start reads and keeps.
 */
const LATE_MODULES: Readonly<Record<string, readonly string[]>> = {
  "node-forge": ["default"],
  consola: ["default", "consola"],
};

const lateModules: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "late-modules",
  setup(build) {
    build.onResolve(
      { filter: /^(node-forge|consola)$/ },
      ({ path, ...from }) =>
        from.kind === "import-statement"
          ? { path, namespace: "late", pluginData: dirname(from.importer) }
          : undefined,
    );
    build.onResolve({ filter: /^\.\/late-/ }, ({ path }) => ({
      path,
      external: true,
    }));
    build.onLoad(
      { filter: /./, namespace: "late" },
      async ({ path, pluginData }) => {
        const file = `late-${path}.cjs`;
        await build.esbuild.build({
          stdin: {
            contents: `module.exports = require("${path}");`,
            resolveDir: pluginData as string,
          },
          outfile: join(build.initialOptions.outdir ?? "dist", file),
          format: "cjs",
          platform: "node",
          target: "node22",
          bundle: true,
          minify: true,
          charset: "ascii",
          legalComments: "none",
        });
        const proxies = (LATE_MODULES[path] ?? []).map((name) => {
          const value =
            name === "default" ? "module.default ?? module" : `module.${name}`;
          const proxy = `new Proxy({}, { get(_, name) { module ??= require("./${file}"); return (${value})[name]; } })`;
          return name === "default"
            ? `export default ${proxy};`
            : `export const ${name} = ${proxy};`;
        });
        return { contents: `let module;\n${proxies.join("\n")}` };
      },
    );
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
  esbuildPlugins: [lateModules, fewLocales],
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
