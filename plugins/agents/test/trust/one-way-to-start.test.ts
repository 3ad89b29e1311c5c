import { glob, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const PLUGINS = join(import.meta.dirname, "..", "..", "..");
/** The plugins with drivers. */
const DRIVERS = ["acp", "claude", "codex", "pi", "practice"];
/** The one file that starts processes of CLIs, each in a folder that was checked for trust. */
const STARTER = "clis/cli-processes.ts";

/** Files that start programs other than CLIs, with the programs. */
const OTHERS: Readonly<Record<string, string>> = {
  "conversation/gists.ts": "gh",
  "shell/code-blocks.ts": "a block of code of the user",
  "shell/shell-commands.ts": "a command of the user",
};

/** Files that only pass the function that starts programs to the files above. */
const WIRING: Readonly<Record<string, RegExp>> = {
  "clis/cli-catalog.ts": /\bRun\["find"\]/,
  "clis/cli-parts.ts": /\brun\b/,
  "plugin-parts.ts": /\brun\b/,
  "routes/conversation.ts": /createGist\(run,/,
  "routes/shell.ts": /runCode\(run,/,
};

/** Texts of extensions that a CLI runs in its own process, in a folder that was checked for it. */
const EXTENSIONS = ["pi/pi-tools.ts"];

/** The practice agent is a separate program, which runs the commands of its script. */
const isOwnProgram = (file: string) => file.startsWith("program/");

async function readSources(plugin = "agents"): Promise<Map<string, string>> {
  const folder = join(PLUGINS, plugin, "src");
  const sources = new Map<string, string>();
  for await (const file of glob(join(folder, "**/*.ts"))) {
    const name = relative(folder, file);
    if (!isOwnProgram(name)) sources.set(name, await readFile(file, "utf8"));
  }
  return sources;
}

/** The sources of all drivers, each under the name of its plugin. */
async function readDrivers(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const plugin of DRIVERS)
    for (const [file, text] of await readSources(plugin))
      found.set(`${plugin}/${file}`, text);
  return found;
}

/** Removes comments and texts, which may mention what the code does not do. */
const toCode = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|"[^"\n]*"/gm, "");

async function filesWith(
  pattern: RegExp,
  sources?: ReadonlyMap<string, string>,
): Promise<string[]> {
  const found: string[] = [];
  for (const [file, text] of sources ?? (await readSources()))
    if (pattern.test(toCode(text))) found.push(file);
  return found.sort();
}

test("all files that run programs are listed, and only one file runs CLIs", async () => {
  // The type of what starts programs, and the variable that holds it wherever the type is inferred.
  const runsPrograms = /\bRun\b|[{,]\s*run\s*[,}]/;
  expect(await filesWith(runsPrograms)).toEqual(
    [STARTER, ...Object.keys(OTHERS), ...Object.keys(WIRING)].sort(),
  );
  const sources = await readSources();
  for (const [file, pattern] of Object.entries(WIRING))
    expect(sources.get(file), file).toMatch(pattern);
});

test("a driver can start programs only through a checked folder", async () => {
  const sources = await readDrivers();
  const runsPrograms =
    /\bRun\b|[{,]\s*run\s*[,}]|\.run\(|\bspawn\b|child_process/;
  expect(await filesWith(runsPrograms, sources)).toEqual(EXTENSIONS);
  // In the text of the extension, and nowhere before it.
  for (const file of EXTENSIONS)
    expect(sources.get(file)?.split("const PROGRAM =")[0]).not.toMatch(
      /\bspawn\b|child_process/,
    );
  expect(await filesWith(/\binput\.start\(/, sources)).toEqual([
    "acp/acp-driver.ts",
    "claude/claude-driver.ts",
    "codex/codex-driver.ts",
    "pi/pi-driver.ts",
  ]);
});

test("only one file opens a program in a terminal", async () => {
  const opensTerminals = /\b(terminals|host)(\(\))?\??\.open\(/;
  expect(await filesWith(opensTerminals)).toEqual([STARTER]);
});

test("a checked folder is created only by a check", async () => {
  const makes = /#toChecked\(/g;
  const text = toCode((await readSources()).get(STARTER) ?? "");
  // Made where it is defined, after the check of an agent's folder and after that of the plugin's own.
  expect(text.match(makes)).toHaveLength(3);
  expect(text).toMatch(/trust\.check\([\s\S]*?return this\.#toChecked\(/);
  expect(text).toMatch(/trust\.find\([\s\S]*?return this\.#toChecked\(/);
});
