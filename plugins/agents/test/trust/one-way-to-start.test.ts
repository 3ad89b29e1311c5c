import { glob, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";

const SOURCES = join(import.meta.dirname, "..", "..", "src");
/** The one file that starts processes of CLIs, each in a folder that was checked for trust. */
const STARTER = "clis/cli-processes.ts";

/** Files that start programs of another kind, and which. */
const OTHERS: Readonly<Record<string, string>> = {
  "conversation/gists.ts": "gh",
  "folder/reveal.ts": "the file manager",
  "pull-requests/gh.ts": "gh",
  "shell/code-blocks.ts": "a block of code of the user",
  "shell/shell-commands.ts": "a command of the user",
};

/** Files that hand what starts programs to those above, and call nothing of it. */
const WIRING: Readonly<Record<string, RegExp>> = {
  "clis/cli-catalog.ts": /\bRun\["find"\]/,
  "clis/cli-parts.ts": /\brun\b/,
  "folder/folder-guard.ts": /createPathGuard\(\{\s*clock,\s*run,/,
  "plugin-parts.ts": /\brun\b/,
  "routes/conversation.ts": /createGist\(run,/,
  "routes/shell.ts": /runCode\(run,/,
};

/** The practice agent is a separate program, which runs the commands of its script. */
const isOwnProgram = (file: string) => file.startsWith("practice/");

async function readSources(): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  for await (const file of glob(join(SOURCES, "**/*.ts"))) {
    const name = relative(SOURCES, file);
    if (!isOwnProgram(name)) sources.set(name, await readFile(file, "utf8"));
  }
  return sources;
}

/** Comments and texts for people may name what the code does not do. */
const toCode = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|"[^"\n]*"/gm, "");

async function filesWith(pattern: RegExp): Promise<string[]> {
  const found: string[] = [];
  for (const [file, text] of await readSources())
    if (pattern.test(toCode(text))) found.push(file);
  return found.sort();
}

test("whatever runs programs is known, and only one file runs CLIs", async () => {
  // The type of what starts programs, and the variable that holds it wherever the type is inferred.
  const runsPrograms = /\bRun\b|[{,]\s*run\s*[,}]/;
  expect(await filesWith(runsPrograms)).toEqual(
    [STARTER, ...Object.keys(OTHERS), ...Object.keys(WIRING)].sort(),
  );
  const sources = await readSources();
  for (const [file, pattern] of Object.entries(WIRING))
    expect(sources.get(file), file).toMatch(pattern);
});

test("a driver gets nothing that starts a program but what was checked", async () => {
  const drivers = (
    await filesWith(/\bRun\b|\.run\(|\bspawn\b|child_process/)
  ).filter((file) => file.startsWith("drivers/"));
  // The text of an extension, which runs in pi and not here.
  expect(drivers).toEqual(["drivers/pi/pi-tools.ts"]);
  expect(await filesWith(/\binput\.start\(/)).toEqual([
    "drivers/acp/acp-driver.ts",
    "drivers/claude/claude-driver.ts",
    "drivers/codex/codex-driver.ts",
    "drivers/pi/pi-driver.ts",
  ]);
});

test("only one file opens a program in a terminal", async () => {
  const opensTerminals = /\b(terminals|host)(\(\))?\??\.open\(/;
  expect(await filesWith(opensTerminals)).toEqual([STARTER]);
});

test("a checked folder is made by a check alone", async () => {
  const makes = /#toChecked\(/g;
  const text = toCode((await readSources()).get(STARTER) ?? "");
  // Made where it is defined, after the check of an agent's folder and after that of the plugin's own.
  expect(text.match(makes)).toHaveLength(3);
  expect(text).toMatch(/trust\.check\([\s\S]*?return this\.#toChecked\(/);
  expect(text).toMatch(/trust\.find\([\s\S]*?return this\.#toChecked\(/);
});
