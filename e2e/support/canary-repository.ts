import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  writeFile,
} from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** A repository of a small project in which any access leaves a trace. */
export interface CanaryRepository {
  /** Its working tree. */
  readonly path: string;
  /** Of everything: the working tree, what git keeps, the remote beside it, and the folder that all lie in. */
  digest(): Promise<Record<string, string>>;
}

/**
 * Makes one in a folder: a bare remote beside it, commits that are not pushed, branches that are merged and that are
 * not, a tag, a stash, changes that are staged and that are not, files that are untracked and that are ignored, and
 * hooks that leave a mark.
 */
export async function createCanaryRepository(
  folder: string,
): Promise<CanaryRepository> {
  const path = join(folder, "project");
  const remote = join(folder, "remote.git");
  await mkdir(path, { recursive: true });
  const git = (...args: string[]) =>
    execute("git", ["-C", path, ...IDENTITY, ...args]);
  const write = async (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(path, name, ".."), { recursive: true });
      await writeFile(join(path, name), text);
    }
  };
  const commit = async (message: string, files: Record<string, string>) => {
    await write(files);
    await git("add", ".");
    await git("commit", "--quiet", "--message", message);
  };

  await execute("git", ["init", "--quiet", "--bare", remote]);
  await git("init", "--quiet", "--initial-branch=main");
  await git("remote", "add", "origin", remote);
  await commit("Begin", {
    ".gitignore": "ignored/\n.env\n",
    "README.md": "# Project\n\nRun `npm start -- --port 3000`.\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.0.0\n\n- The first release.\n",
    "package.json": JSON.stringify({
      name: "project",
      version: "1.0.0",
      scripts: { test: "node --test" },
      dependencies: { "left-pad": "1.0.0" },
    }),
    "src/main.js": 'export const port = 8080; // "3000" is long gone\n',
    "test/main.test.js": 'import "../src/main.js";\n',
  });
  await git("tag", "v1.0.0");
  await git("push", "--quiet", "origin", "main");
  await git("branch", "merged-long-ago");
  await git("switch", "--quiet", "--create", "unfinished");
  await commit("Begin something", { "src/idea.js": "// half an idea\n" });
  await git("switch", "--quiet", "main");
  await commit("Take another port", { "src/port.js": "export default 1;\n" });
  await write({ "src/main.js": "stashed\n" });
  await git("stash", "push", "--quiet");
  await write({ "src/staged.js": "staged\n" });
  await git("add", "src/staged.js");
  await write({
    "src/port.js": "changed, and not staged\n",
    "untracked.txt": "not tracked\n",
    "ignored/cache.bin": "ignored\n",
    ".env": "TOKEN=canary\n",
  });
  for (const hook of HOOKS) {
    const file = join(path, ".git", "hooks", hook);
    await writeFile(file, `#!/bin/sh\ntouch "${folder}/hook-${hook}-ran"\n`);
    await chmod(file, 0o755);
  }
  // As if a program of the user had touched it: `git status` would then write the index again.
  await execute("touch", ["-d", "2020-01-01", join(path, "README.md")]);
  return { path, digest: () => digestOf(folder) };
}

const IDENTITY = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
const HOOKS = [
  ...["pre-commit", "post-commit", "pre-push", "post-checkout"],
  ...["post-index-change", "reference-transaction", "post-rewrite"],
];

/** Every file below a folder with its mode and content, and every folder. */
async function digestOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, {
    recursive: true,
    withFileTypes: true,
  });
  const digests = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode } = await lstat(path);
      const content = entry.isFile()
        ? createHash("sha256")
            .update(await readFile(path))
            .digest("hex")
        : "";
      return [relative(folder, path), `${mode.toString(8)} ${content}`];
    }),
  );
  return Object.fromEntries(digests.sort()) as Record<string, string>;
}
