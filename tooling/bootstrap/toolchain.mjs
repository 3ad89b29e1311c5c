import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { installNode } from "./install-node.mjs";
import { preparePrivateCache } from "./private-cache.mjs";
import { describeChanges, readUserEnvironment } from "./user-environment.mjs";
import { bootstrapFolder, createStamp, runStep } from "./shell.mjs";

const PINS = ["package.json", "package-lock.json"];
/** How the names of the packages with Node end. */
const PLATFORM = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/**
 * Installs the pinned Node and pnpm from registry packages into the user's cache, once for each lock file, and links them
 * into the checkout. Ends the process with a message if that fails.
 *
 * @returns {{ bin: string, node: string, env: NodeJS.ProcessEnv }} where they are, and an environment in which
 *   `node` and `pnpm` are the pinned ones for every child, compilers of native addons included; the daemon takes the
 *   user's own back from it.
 */
export function installToolchain() {
  const modules = join(bootstrapFolder, "node_modules");
  const stamp = createStamp(
    join(modules, ".stamp"),
    PINS.map((name) => join(bootstrapFolder, name)),
  );
  // The target of a link may have been removed.
  if (!stamp.isFresh() || !isComplete(modules)) {
    linkFolders(provideToolchain(stamp.key), modules);
    stamp.write();
  }

  const nodeFolder = findNode(modules);
  const bin = join(modules, ".bin");
  const node = join(
    nodeFolder,
    "bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
  const env = cleanEnvironment(process.env);
  env.PATH = [bin, dirname(node), env.PATH].join(delimiter);
  env.TURBO_TELEMETRY_DISABLED = "1";
  env.NUXT_TELEMETRY_DISABLED = "1";
  env.DO_NOT_TRACK = "1";
  // node-gyp would fetch headers from nodejs.org; the package brings them.
  if (existsSync(join(nodeFolder, "include/node/node.h")))
    env.npm_config_nodedir = nodeFolder;
  env.GANTRY_USER_ENVIRONMENT = describeChanges(
    readUserEnvironment(process.env),
    env,
  );
  return { bin, node, env };
}

function readPin(name) {
  return JSON.parse(readFileSync(join(bootstrapFolder, name), "utf8"));
}

/** The pinned package with Node for this platform; without `name` if there is none. */
function readNodePin() {
  const { optionalDependencies: versions } = readPin("package.json");
  const name = Object.keys(versions).find((each) =>
    each.endsWith(`-${PLATFORM}`),
  );
  const { packages = {} } = readPin("package-lock.json");
  const { integrity } = packages[`node_modules/${name}`] ?? {};
  return { name, version: versions[name], integrity };
}

/** The folder of Node's package for this platform, `undefined` if it is missing. */
function findNode(modules) {
  const folder = join(modules, String(readNodePin().name));
  return existsSync(join(folder, "bin")) ? folder : undefined;
}

function isComplete(modules) {
  return existsSync(join(modules, ".bin/pnpm")) && Boolean(findNode(modules));
}

/**
 * Installs the toolchain into the user's cache unless it is there. Ends the process with a message if that fails.
 *
 * @param {string} key Digest of the pins.
 * @returns {string} its `node_modules`
 */
function provideToolchain(key) {
  const cache = preparePrivateCache("toolchain", { maxAgeDays: 180 });
  const place = join(cache, `${process.platform}-${process.arch}-${key}`);
  const modules = join(place, "node_modules");
  if (!isComplete(modules)) {
    console.error("Bringing the pinned Node and pnpm (once)…");
    // Installed beside it and then renamed, so that no other process sees an incomplete one.
    const draft = installDraft();
    // Another process may have been faster.
    if (!isComplete(modules)) {
      rmSync(place, { recursive: true, force: true });
      renameSync(draft, place);
    } else rmSync(draft, { recursive: true, force: true });
  }
  const now = new Date();
  utimesSync(place, now, now);
  return modules;
}

/** Installs the packages into a new folder. What an interrupted installation leaves there is removed after a day. */
function installDraft() {
  const drafts = preparePrivateCache("toolchain-drafts", { maxAgeDays: 1 });
  const draft = mkdtempSync(join(drafts, "draft-"));
  installPnpm(draft);
  try {
    installNode(draft, readNodePin());
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    console.error(
      `Cannot install Node for ${process.platform} ${process.arch}: ${error.message} Check the network and \`npm config get registry\`, then try again.`,
    );
    process.exit(1);
  }
  return draft;
}

/** Installs what is pinned but for Node. */
function installPnpm(folder) {
  const manifest = { ...readPin("package.json"), optionalDependencies: {} };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  copyFileSync(
    join(bootstrapFolder, "package-lock.json"),
    join(folder, "package-lock.json"),
  );
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
      "--no-update-notifier",
    ],
    { cwd: folder, quiet: true },
  );
  // Install scripts are off, and without this one `pnpm` is a stub without a first line, which turbo cannot start.
  runStep(process.execPath, ["install.js"], {
    cwd: join(folder, "node_modules/pnpm"),
  });
}

/** Replaces the folder `to` by one with a link to each folder in `from`. */
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
