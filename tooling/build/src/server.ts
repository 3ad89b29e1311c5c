import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "tsup";
import type { Options } from "tsup";
import { asciiOutput } from "./ascii.ts";
import { OUTPUT, type PluginFolder } from "./manifest.ts";
import { BuildProblem } from "./problem.ts";
import { sharedZod } from "./shared-zod.ts";
import { sourceConditions } from "./workspace.ts";

/** CommonJS packages call `require` for Node's own modules; a bundle in ESM has none. */
const REQUIRE_BANNER =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

/**
 * Bundles the server entry, the commands and each program, with everything in it but Node's own modules, and zod where the
 * first two take that of the daemon. What is loaded with `import()` becomes a file beside them, read only when it is needed.
 * Works in the current directory, which must be the plugin's folder: tsup knows no other.
 */
export async function bundleServer(plugin: PluginFolder): Promise<void> {
  const outDir = join(plugin.folder, OUTPUT.folder);
  const { server, commands, ...programs } = plugin.programs;
  const plugins = plugin.sharesZod ? [sharedZod(plugin.folder)] : [];
  // One after the other: the command line loads the commands alone.
  if (server) await bundle(plugin, { server }, plugins);
  if (commands) await bundle(plugin, { commands }, plugins);
  // They run without the daemon round them, which shares nothing with them.
  if (Object.keys(programs).length > 0) await bundle(plugin, programs, []);
  const extra = readdirSync(outDir, { withFileTypes: true }).find(
    (entry) => entry.isFile() && !entry.name.endsWith(".mjs"),
  );
  if (extra) {
    throw new BuildProblem(
      `The server cannot be bundled: a dependency brings ${extra.name}. ` +
        "Native addons and assets cannot be bundled; use a package without them.",
    );
  }
}

async function bundle(
  { folder }: PluginFolder,
  entry: Record<string, string>,
  esbuildPlugins: NonNullable<Options["esbuildPlugins"]>,
): Promise<void> {
  const conditions = sourceConditions(folder);
  await build({
    config: false,
    silent: true,
    entry,
    outDir: join(folder, OUTPUT.folder),
    clean: false,
    format: "esm",
    platform: "node",
    target: "node22",
    outExtension: () => ({ js: ".mjs" }),
    noExternal: [/.*/],
    splitting: true,
    // Without it `node:sqlite` would become `sqlite`, which does not exist.
    removeNodeProtocol: false,
    // The same for CommonJS's own two names.
    define: {
      __dirname: "import.meta.dirname",
      __filename: "import.meta.filename",
    },
    banner: { js: REQUIRE_BANNER },
    dts: false,
    esbuildPlugins,
    plugins: [asciiOutput],
    esbuildOptions(options) {
      // Naming any condition drops esbuild's own `module`.
      options.conditions = [...conditions, "module"];
      options.legalComments = "none";
    },
  });
}
