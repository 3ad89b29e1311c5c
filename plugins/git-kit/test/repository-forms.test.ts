import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { openGit } from "./support/git.ts";
import { createRepository, plainGit } from "./support/repositories.ts";

/** Calls whose output must be that of git itself. */
const CALLS = [
  ["status", "--porcelain=v2", "--branch", "--untracked-files=all"],
  ["diff", "HEAD"],
  ["log", "--all", "--format=%H %P %D %s"],
  ["show", "--stat", "HEAD"],
  ["ls-files", "--stage"],
  ["ls-files", "--others", "--exclude-standard"],
  ["for-each-ref", "--format=%(refname) %(objectname) %(worktreepath)"],
  ["rev-parse", "--show-toplevel", "--show-prefix", "HEAD"],
  ["symbolic-ref", "-q", "HEAD"],
] as const;

async function expectSame(folder: string): Promise<void> {
  const git = await openGit();
  for (const [command, ...args] of CALLS) {
    const plain = await plainGit(folder, command, ...args).catch(
      (error: { stdout: string }) => error.stdout,
    );
    const { stdout } = await git(folder, command, args);
    expect([command, stdout]).toEqual([command, plain]);
  }
  const trees = await plainGit(folder, "worktree", "list", "--porcelain");
  const { stdout } = await git(folder, "worktree", ["--porcelain"]);
  expect(stdout).toBe(trees);
}

const FORMS: Readonly<Record<string, () => Promise<string>>> = {
  "a plain one": createRepository,
  "one in a folder below its top": async () => {
    const folder = join(await createRepository(), "deep/er");
    await mkdir(folder, { recursive: true });
    return folder;
  },
  "a linked working tree": async () => {
    const folder = await createRepository();
    const tree = join(folder, "../tree");
    await plainGit(folder, "worktree", "add", "-qb", "other", tree);
    await writeFile(join(tree, "a.txt"), "there\n");
    return tree;
  },
  "one that has linked working trees": async () => {
    const folder = await createRepository();
    await plainGit(folder, "worktree", "add", "-qb", "other", "../tree");
    return folder;
  },
  "a working tree of a bare repository": async () => {
    const folder = await createRepository();
    await plainGit(folder, "clone", "-q", "--bare", ".", "../bare.git");
    const bare = join(folder, "../bare.git");
    await plainGit(bare, "worktree", "add", "-q", "../tree", "main");
    return join(folder, "../tree");
  },
  "a submodule with many settings": async () => {
    const folder = await createRepository();
    const inner = await createRepository();
    await plainGit(
      folder,
      ...["-c", "protocol.file.allow=always", "submodule", "-q"],
      ...["add", inner, "parts/sub"],
    );
    const more = `[branch "x"]\n\tmerge = ${"refs/heads/x".repeat(800)}\n`;
    await appendFile(join(folder, ".git/modules/parts/sub/config"), more);
    await writeFile(join(folder, "parts/sub/a.txt"), "changed\n");
    return join(folder, "parts/sub");
  },
  "one with SHA-256": async () => {
    const folder = join(await temporaryFolder(), "work");
    await mkdir(folder);
    await plainGit(folder, "init", "-qb", "main", "--object-format=sha256");
    await writeFile(join(folder, "a.txt"), "one\n");
    await plainGit(folder, "add", ".");
    await plainGit(folder, "commit", "-qm", "One");
    return folder;
  },
  "one with packed objects and branches": async () => {
    const folder = await createRepository();
    await plainGit(folder, "tag", "-am", "v1", "v1");
    await plainGit(folder, "gc", "-q");
    await plainGit(folder, "commit-graph", "write", "--reachable");
    await plainGit(folder, "multi-pack-index", "write");
    return folder;
  },
  "one without a commit": async () => {
    const folder = await temporaryFolder();
    await plainGit(folder, "init", "-qb", "main");
    await writeFile(join(folder, "new"), "");
    return folder;
  },
  "one with a detached HEAD": async () => {
    const folder = await createRepository();
    await plainGit(folder, "checkout", "-q", "--detach");
    return folder;
  },
  "one with a split index": async () => {
    const folder = await createRepository();
    await plainGit(folder, "update-index", "--split-index");
    return folder;
  },
  "a sparse checkout with settings of its own": async () => {
    const folder = await createRepository();
    for (const name of ["in", "out"]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "file"), name);
    }
    await plainGit(folder, "add", ".");
    await plainGit(folder, "commit", "-qm", "More");
    await plainGit(folder, "sparse-checkout", "set", "--cone", "in");
    await plainGit(folder, "sparse-checkout", "reapply", "--sparse-index");
    expect(
      await readFile(join(folder, ".git/config.worktree"), "utf8"),
    ).toMatch(/sparse/i);
    return folder;
  },
  "a shallow clone that follows a remote": async () => {
    const folder = await createRepository();
    const clone = join(folder, "../clone");
    await plainGit(folder, "commit", "-qam", "Three");
    await plainGit(
      folder,
      "clone",
      "-q",
      "--depth=2",
      `file://${folder}`,
      clone,
    );
    await plainGit(folder, "commit", "-q", "--allow-empty", "-m", "Four");
    await plainGit(clone, "fetch", "-q");
    return clone;
  },
  "one whose settings say how files are compared": async () => {
    const folder = await createRepository();
    await plainGit(folder, "config", "core.autocrlf", "true");
    await plainGit(folder, "config", "core.fileMode", "false");
    await writeFile(join(folder, "a.txt"), "two\r\n");
    return folder;
  },
  "one with excludes, attributes and grafts of its own": async () => {
    const folder = await createRepository();
    const head = (await plainGit(folder, "rev-parse", "HEAD")).trim();
    await mkdir(join(folder, ".git/info"), { recursive: true });
    await writeFile(join(folder, ".git/info/exclude"), "left-out\n");
    await writeFile(join(folder, ".git/info/attributes"), "*.txt -diff\n");
    await writeFile(join(folder, ".git/info/grafts"), `${head}\n`);
    await writeFile(join(folder, "left-out"), "");
    return folder;
  },
  "one with a replaced commit": async () => {
    const folder = await createRepository();
    await plainGit(folder, "replace", "HEAD", "HEAD~1");
    return folder;
  },
};

test.each(cases(Object.entries(FORMS), 2))(
  "%s reads as with git itself",
  async (_, create) => {
    await expectSame(await create());
  },
);

test(
  "a change is seen by the next call: a commit, a branch, a setting",
  { tags: "thorough" },
  async () => {
    const folder = await createRepository();
    await expectSame(folder);
    await plainGit(folder, "commit", "-qam", "Three");
    await expectSame(folder);
    await plainGit(folder, "switch", "-qc", "other");
    await expectSame(folder);
    await plainGit(folder, "config", "core.fileMode", "false");
    await plainGit(folder, "update-index", "--chmod=+x", "a.txt");
    await expectSame(folder);
  },
);
