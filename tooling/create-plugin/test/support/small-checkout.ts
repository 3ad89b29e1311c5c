import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import {
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const COMMAND = join(
  ROOT,
  "tooling/create-plugin/bin/create-gantry-plugin.mjs",
);
/** Packages that together have everything installed that a made plugin asks for. */
const INSTALLED = ["plugins/inbox", "ui/kit"].map((path) =>
  join(ROOT, path, "node_modules"),
);
/** The programs that scripts run: ours first, of which the compiler is the fast one, then the plugin's. */
const PROGRAMS = ["tooling/create-plugin", "plugins/inbox", "ui/kit"].map(
  (path) => join(ROOT, path, "node_modules/.bin"),
);

/** How a program ended. */
export interface Ended {
  code: number | null;
  output: string;
}

/** A folder that the command takes for a checkout of the repository, gone when it is disposed of. */
export interface SmallCheckout extends AsyncDisposable {
  path: string;
  /** Runs the command in it. */
  create(...args: string[]): Promise<Ended>;
  /** Does to a made plugin what `pnpm install` would do, with packages that are on this machine already. */
  install(folder: string): Promise<void>;
  /** Runs a script of a made plugin's package.json. */
  runScript(folder: string, name: string): Promise<Ended>;
}

/** Makes a checkout without plugins. */
export async function createSmallCheckout(): Promise<SmallCheckout> {
  const path = await realpath(
    await mkdtemp(join(tmpdir(), "gantry-create-plugin-")),
  );
  for (const folder of ["plugins", "tooling/reference"])
    await mkdir(join(path, folder), { recursive: true });
  for (const file of [
    "package.json",
    "pnpm-workspace.yaml",
    "tsconfig.base.json",
    "tooling/reference/package.json",
  ])
    await copyFile(join(ROOT, file), join(path, file));
  await writeFile(
    join(path, "tsconfig.sources.json"),
    '{ "extends": "./tsconfig.base.json", "include": ["plugins/*/src"] }',
  );
  return {
    path,
    create: (...args) => run(process.execPath, [COMMAND, ...args], path),
    install,
    runScript,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

async function install(folder: string): Promise<void> {
  const { dependencies, devDependencies } = await readManifest(folder);
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    const places = INSTALLED.map((place) => join(place, name));
    await symlink(await realpath(places.find(existsSync) ?? name), link);
  }
}

async function runScript(folder: string, name: string): Promise<Ended> {
  const script = (await readManifest(folder)).scripts[name];
  if (script === undefined) throw new Error(`${folder} has no script ${name}`);
  return run(script, [], folder, true);
}

/** The `package.json` of a made plugin. */
export async function readManifest(folder: string): Promise<{
  scripts: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies: Record<string, string>;
}> {
  return JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  ) as never;
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  shell = false,
): Promise<Ended> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NO_COLOR: "1",
    PATH: [...PROGRAMS, process.env["PATH"]].join(delimiter),
  };
  // A vitest that is started here must not take itself for a worker of ours.
  for (const name of Object.keys(env))
    if (name.startsWith("VITEST")) delete env[name];
  const child = spawn(program, args, {
    cwd,
    env,
    shell,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
