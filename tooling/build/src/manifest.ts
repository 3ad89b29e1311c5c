import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { BuildProblem } from "./problem.ts";

/** Where the preset puts things; a plugin's `package.json` must say the same. */
export const OUTPUT = {
  folder: "dist",
  server: "./dist/server.mjs",
  ui: "./dist/ui/index.mjs",
  commands: "./dist/commands.mjs",
} as const;

/** What is built of a plugin's own entries, and not of a program that it names. */
const OWN_NAMES: readonly string[] = ["server", "commands"];

/** A plugin's folder, as its `package.json` describes it. All paths are absolute. */
export interface PluginFolder {
  folder: string;
  name: string;
  /** Programs by the name of their output: `server`, `commands`, and those that the plugin spawns. */
  programs: Readonly<Record<string, string>>;
  /** Entry of the UI, `undefined` if the plugin has none. */
  uiEntry: string | undefined;
  /** Whether the server takes zod from the daemon: if it is a peer dependency. */
  sharesZod: boolean;
}

/**
 * Reads a plugin's `package.json`.
 *
 * @throws BuildProblem if it is no plugin, or says something that this preset does not make.
 */
export function readPluginFolder(folder: string): PluginFolder {
  const file = join(folder, "package.json");
  if (!existsSync(file)) {
    throw new BuildProblem(`There is no package.json in ${folder}.`);
  }
  const manifest = parseObject(file);
  const gantry = manifest["gantry"];
  if (!isRecord(gantry)) {
    throw new BuildProblem(
      `${file} has no "gantry" section, such as { "api": 1, "server": "${OUTPUT.server}", "ui": "${OUTPUT.ui}" }.`,
    );
  }
  // A minor version that the plugin needs is for the daemon to check.
  if (!/^(1|"1\.\d+")$/.test(String(JSON.stringify(gantry["api"])))) {
    throw new BuildProblem(
      `"gantry.api" in ${file} is ${JSON.stringify(gantry["api"])}; this preset makes plugins for 1, or for a minor version of it such as "1.1".`,
    );
  }
  const hasServer = declares(gantry, "server", OUTPUT.server, file);
  const hasUi = declares(gantry, "ui", OUTPUT.ui, file);
  if (!hasServer && !hasUi) {
    throw new BuildProblem(
      `"gantry" in ${file} names neither "server" nor "ui": there is nothing to build.`,
    );
  }
  const programs = readPrograms(folder, gantry["programs"]);
  if (hasServer) {
    programs["server"] = entryFile(folder, "src/index.ts", '"gantry.server"');
  }
  if (declaresCommands(gantry["commands"], file)) {
    programs["commands"] = entryFile(
      folder,
      "src/commands.ts",
      '"gantry.commands"',
    );
  }
  return {
    folder,
    name: String(manifest["name"] ?? folder),
    programs,
    uiEntry: hasUi
      ? entryFile(folder, "ui/index.ts", '"gantry.ui"')
      : undefined,
    sharesZod:
      isRecord(manifest["peerDependencies"]) &&
      "zod" in manifest["peerDependencies"],
  };
}

function parseObject(file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new BuildProblem(
      `${file} is not JSON: ${(cause as Error).message}.`,
      { cause },
    );
  }
  if (!isRecord(value)) throw new BuildProblem(`${file} is not an object.`);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function declares(
  gantry: Record<string, unknown>,
  key: "server" | "ui",
  expected: string,
  file: string,
): boolean {
  const value = gantry[key];
  if (value === undefined) return false;
  if (value === expected) return true;
  throw new BuildProblem(
    `"gantry.${key}" in ${file} is ${JSON.stringify(value)}; this preset writes ${expected}.`,
  );
}

function declaresCommands(value: unknown, file: string): boolean {
  if (value === undefined) return false;
  const { name, description, file: output } = isRecord(value) ? value : {};
  if (typeof name !== "string" || typeof description !== "string") {
    throw new BuildProblem(
      `"gantry.commands" in ${file} needs a name and a description, such as { "name": "notes", "description": "Short notes", "file": "${OUTPUT.commands}" }.`,
    );
  }
  if (output === OUTPUT.commands) return true;
  throw new BuildProblem(
    `"gantry.commands.file" in ${file} is ${JSON.stringify(output)}; this preset writes ${OUTPUT.commands}.`,
  );
}

function readPrograms(folder: string, value: unknown): Record<string, string> {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    throw new BuildProblem(
      `"gantry.programs" is to map names to entry files, such as { "worker": "./src/worker/main.ts" }.`,
    );
  }
  const programs: Record<string, string> = {};
  for (const [name, path] of Object.entries(value)) {
    if (!/^[a-z][a-z0-9-]*$/.test(name) || OWN_NAMES.includes(name)) {
      throw new BuildProblem(
        `"${name}" in "gantry.programs" is no name for a program: kebab-case, and not "server" or "commands".`,
      );
    }
    programs[name] = entryFile(
      folder,
      String(path),
      `"gantry.programs.${name}"`,
    );
  }
  return programs;
}

function entryFile(folder: string, path: string, named: string): string {
  const file = resolve(folder, path);
  if (relative(folder, file).split(sep)[0] === "..") {
    throw new BuildProblem(
      `${named} is ${path}, which is outside the plugin's folder.`,
    );
  }
  if (!existsSync(file)) {
    throw new BuildProblem(`${named} needs ${path}, which is not there.`);
  }
  return file;
}
