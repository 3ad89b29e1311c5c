import { spawn } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTemporaryFolder } from "./temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The user folder of a reader of `docs/first-plugin.md`, who has a checkout and has written the files. */
export interface GuideReader extends AsyncDisposable {
  /** Home of the reader's daemon. */
  readonly home: string;
  /** The blocks of commands in the guide, in its order. */
  readonly commands: readonly string[];
  /** Runs the block of commands that begins so, in the folder of the plugin. Resolves with what it prints. */
  run(start: string, replace?: (commands: string) => string): Promise<string>;
}

/** Makes the folder with all files of the guide; the checkout is the one that is tested. */
export async function followGuide(): Promise<GuideReader> {
  const guide = await readFile(join(ROOT, "docs/first-plugin.md"), "utf8");
  const commands = [...guide.matchAll(/^```sh\n([^]*?)^```/gm)].map(
    ([, code = ""]) => code,
  );
  const temporary = await createTemporaryFolder("first-plugin");
  const user = temporary.path;
  const folder = join(user, "code/notes");
  const home = join(user, ".gantry");
  for (const [file, code] of filesOf(guide)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), code);
  }
  await symlink(ROOT, join(user, "code/gantry"));
  await mkdir(join(user, "bin"));
  // In place of a function that first builds the checkout.
  await symlink(
    join(ROOT, "kernel/cli/bin/gantry.mjs"),
    join(user, "bin", "gantry"),
  );
  return {
    home,
    commands,
    async run(start, replace = (code) => code) {
      const block = commands.find((code) => code.startsWith(start));
      if (!block) throw new Error(`No block of the guide begins so: ${start}`);
      return await runScript(replace(block), folder, user);
    },
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

/**
 * The files of the guide: each is a block below a paragraph that begins with the file's name.
 *
 * @throws Error for a block without one
 */
function filesOf(guide: string): [name: string, code: string][] {
  return [...guide.matchAll(/^(.*)\n\n```(?!sh\n)\w+\n([^]*?)^```/gm)].map(
    ([whole, , code = ""]) => {
      const before = guide.slice(
        0,
        guide.indexOf(whole) + whole.indexOf("```"),
      );
      const paragraph = before.trimEnd().split("\n\n").at(-1) ?? "";
      const [, name] = /^`([\w./-]+)`/.exec(paragraph) ?? [];
      if (name === undefined) throw new Error(`No file is named: ${paragraph}`);
      return [name, code];
    },
  );
}

function runScript(script: string, cwd: string, user: string): Promise<string> {
  const tools = join(ROOT, "tooling/bootstrap/node_modules/.bin");
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: user,
    NO_COLOR: "1",
    PATH: [join(user, "bin"), tools, process.env["PATH"]].join(delimiter),
  };
  // A vitest that is started here must not take itself for a worker of ours.
  for (const name of Object.keys(env))
    if (/^(VITEST|GANTRY_)/.test(name)) delete env[name];
  const child = spawn("bash", ["-euc", script], { cwd, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${script} ended with ${code}:\n${output}`));
    });
  });
}
