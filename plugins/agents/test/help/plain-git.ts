import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { once } from "node:events";
import { promisify } from "node:util";

const execute = promisify(execFile);

const ENVIRONMENT = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.org",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.org",
};

/** Runs git as a user would, with no settings but the repository's. */
export async function plainGit(
  folder: string,
  ...args: readonly string[]
): Promise<string> {
  const { stdout } = await execute("git", args, {
    cwd: folder,
    env: ENVIRONMENT,
  });
  return stdout.trim();
}

/** Writes files below a folder. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Makes a repository whose first commit has these files. */
export async function createRepository(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  await plainGit(folder, "init", "-q", "-b", "main");
  await writeFiles(folder, files);
  await plainGit(folder, "add", ".");
  await plainGit(folder, "commit", "-qm", "Begin");
  return folder;
}

/** Makes commits out of a stream for `git fast-import`. */
export async function fastImport(
  folder: string,
  stream: Iterable<string>,
): Promise<void> {
  const child = spawn("git", ["fast-import", "--quiet", "--force"], {
    cwd: folder,
    env: ENVIRONMENT,
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  for (const part of stream)
    if (!child.stdin.write(part)) await once(child.stdin, "drain");
  child.stdin.end();
  const [code] = (await ended) as [number];
  if (code !== 0) throw new Error(`git fast-import ended with ${code}.`);
}

/** A repository that makes a file called `canary` at every occasion that git gives it. */
export async function createHostileRepository(
  folder: string,
): Promise<{ canary: string }> {
  await createRepository(folder, { "a.txt": "one\n" });
  await writeFiles(folder, {
    "a.txt": "two\n",
    "run.sh": "",
    "new.txt": "x\n",
  });
  const canary = join(dirname(folder), "canary");
  const script = join(folder, "run.sh");
  await writeFile(script, `#!/bin/sh\necho "$0 $@" >> ${canary}\n`);
  await chmod(script, 0o755);
  await writeFiles(folder, {
    ".git/config": `[core]
	repositoryformatversion = 0
	fsmonitor = ${script}
	hooksPath = ${folder}
	pager = ${script}
	sshCommand = ${script}
	editor = ${script}
[diff]
	external = ${script}
[filter "evil"]
	clean = ${script}
	smudge = ${script}
	process = ${script}
	required = true
[diff "evil"]
	textconv = ${script}
	command = ${script}
[log]
	showSignature = true
[gpg]
	program = ${script}
[credential]
	helper = !${script}
[remote "origin"]
	url = ext::${script}
	promisor = true
	uploadpack = ${script}
[alias]
	status = !${script}
	log = !${script}
`,
    ".gitattributes": "* filter=evil diff=evil\n",
  });
  for (const hook of ["post-checkout", "post-index-change", "pre-commit"]) {
    await writeFile(join(folder, hook), `#!/bin/sh\ntouch ${canary}\n`);
    await chmod(join(folder, hook), 0o755);
  }
  return { canary };
}
