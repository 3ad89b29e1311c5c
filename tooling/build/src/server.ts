import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsup";
import { asciiOutput } from "./ascii.ts";
import { OUTPUT, type PluginFolder } from "./manifest.ts";
import { BuildProblem } from "./problem.ts";
import { sourceConditions } from "./workspace.ts";

/** CommonJS packages call `require` for Node's own modules; a bundle in ESM has none. */
const REQUIRE_BANNER =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

/**
 * Bundles the server entry and each program into one file, with everything in it but Node's own modules. Works in the
 * current directory, which must be the plugin's folder: tsup knows no other.
 */
export async function bundleServer(plugin: PluginFolder): Promise<void> {
  const conditions = sourceConditions(plugin.folder);
  const outDir = join(plugin.folder, OUTPUT.folder);
  await build({
    config: false,
    silent: true,
    entry: { ...plugin.programs },
    outDir,
    clean: false,
    format: "esm",
    platform: "node",
    target: "node22",
    outExtension: () => ({ js: ".mjs" }),
    noExternal: [/.*/],
    splitting: false,
    // Without it `node:sqlite` would become `sqlite`, which does not exist.
    removeNodeProtocol: false,
    // The same for CommonJS's own two names.
    define: {
      __dirname: "import.meta.dirname",
      __filename: "import.meta.filename",
    },
    banner: { js: REQUIRE_BANNER },
    dts: false,
    plugins: [asciiOutput],
    esbuildOptions(options) {
      // Naming any condition drops esbuild's own `module`.
      options.conditions = [...conditions, "module"];
      options.legalComments = "none";
    },
  });
  const expected = new Set(
    Object.keys(plugin.programs).map((name) => `${name}.mjs`),
  );
  const extra = readdirSync(outDir, { withFileTypes: true }).find(
    (entry) => entry.isFile() && !expected.has(entry.name),
  );
  if (extra) {
    throw new BuildProblem(
      `The server does not fit in one file: a dependency brings ${extra.name}. ` +
        "Native addons and assets cannot be bundled; use a package without them.",
    );
  }
}
