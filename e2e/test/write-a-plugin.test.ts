import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startDaemon } from "../support/daemon.ts";
import { createLinkedCommands } from "../support/linked-commands.ts";
import { readPageBlocks } from "../support/page-blocks.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = join(ROOT, "docs/write-a-plugin.md");
/** Where the page has its daemon. */
const ADDRESS = "127.0.0.1:7420";

/** Runs a block as a shell does, and prints where it ends, since the next one begins there. */
async function runShell(
  script: string,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<{ output: string; cwd: string }> {
  const command = `set -e\n${script}\nprintf '\\n%s' "$PWD"`;
  const { stdout } = await promisify(execFile)("sh", ["-c", command], {
    cwd,
    env,
    maxBuffer: 16 * 1024 * 1024,
  }).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(
      `This block failed:\n${script}\n${error.stdout}\n${error.stderr}`,
      { cause: error },
    );
  });
  const end = stdout.lastIndexOf("\n");
  return { output: stdout.slice(0, end), cwd: stdout.slice(end + 1) };
}

test("the page makes a plugin that runs, and shows what it answers", async () => {
  const blocks = readPageBlocks(await readFile(PAGE, "utf8"));
  expect(blocks.filter(({ kind }) => kind === "output").length).toBe(4);
  await using folder = await createTemporaryFolder("write-a-plugin");
  const home = join(folder.path, "home");
  const commands = join(folder.path, "commands");
  await createLinkedCommands(commands);
  await using daemon = await startDaemon(home);
  const env = {
    ...process.env,
    GANTRY: ROOT,
    GANTRY_HOME: home,
    // npm's own, from which the command takes the user's folder.
    INIT_CWD: undefined,
    PATH: [commands, dirname(process.execPath), process.env["PATH"]].join(
      delimiter,
    ),
  };
  let cwd = folder.path;
  let output = "";
  for (const block of blocks) {
    if (block.kind === "file") {
      const file = join(cwd, block.path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, block.text);
    } else if (block.kind === "shell") {
      const script = block.text.replaceAll(ADDRESS, new URL(daemon.base).host);
      ({ output, cwd } = await runShell(script, { cwd, env }));
    } else if (block.language === "json")
      expect(JSON.parse(output), output).toMatchObject(
        JSON.parse(block.text) as object,
      );
    else expect(output).toContain(block.text.trim());
  }
});

test.each([
  ["a language that is not run", "```js\nrun();\n```\n", /js is not executed/],
  ["a block without an end", "```sh\nls\n", /could not be read/],
  ["a word that is unknown", "```sh later\nls\n```\n", /could not be read/],
])("a page with %s is refused", (_, page, reason) => {
  expect(() => readPageBlocks(page)).toThrow(reason);
});
