import { execFile } from "node:child_process";
import { mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import type { GitCommand } from "../src/git.ts";
import { createReadingEnvironment } from "../src/reading-environment.ts";
import { openGit, openRun } from "./support/git.ts";
import { createHostileRepository } from "./support/hostile-repository.ts";
import { PROGRAM } from "./support/program.ts";
import { createRepository, plainGit } from "./support/repositories.ts";

const READING: readonly (readonly [GitCommand, ...string[]])[] = [
  ["status", "--porcelain=v2", "--branch"],
  ["diff"],
  ["log", "-p", "--format=%H %G? %s"],
  ["blame", "a.txt"],
  ["ls-tree", "HEAD"],
  ["diff", "HEAD"],
  ["diff", "HEAD~1", "HEAD"],
  ["show", "HEAD"],
  ["ls-files", "--others", "--exclude-standard"],
  ["cat-file", "-p", "HEAD:a.txt"],
  ["for-each-ref"],
  ["rev-list", "HEAD"],
  ["rev-parse", "HEAD"],
  ["merge-base", "HEAD", "HEAD~1"],
  ["symbolic-ref", "HEAD"],
  ["worktree"],
];

describe("a repository that names programs", () => {
  test(
    "runs them when git is run plainly, so that the next test says something",
    { tags: "thorough" },
    async () => {
      const { folder, ran } = await createHostileRepository();
      for (const [command, ...args] of READING)
        await plainGit(folder, command, ...args).catch(() => {});
      expect(await ran()).toEqual(
        expect.arrayContaining([
          "clean",
          "command",
          "fsmonitor",
          "post-index-change",
          "textconv",
        ]),
      );
    },
  );

  test.each(
    cases(
      READING.map((call) => [call.join(" "), call] as const),
      3,
    ),
  )("runs none of them: git %s", async (_, [command, ...args]) => {
    const git = await openGit();
    const { folder, ran } = await createHostileRepository();
    expect(await git(folder, command, args)).toMatchObject({ code: 0 });
    expect(await ran()).toEqual([]);
  });

  test(
    "none by way of a git that is the shim of a version manager",
    { tags: "thorough" },
    async () => {
      const { folder, ran } = await createHostileRepository();
      const shims = await temporaryFolder();
      // As asdf does with a path in `.tool-versions`.
      await writeFile(
        join(shims, "git"),
        `#!/bin/sh\nif [ -x ./git-here ]; then exec ./git-here; fi\nPATH=${process.env["PATH"]} exec git "$@"\n`,
        { mode: 0o755 },
      );
      await symlink("../programs/editor", join(folder, "git-here"));
      const run = await openRun({ PATH: shims });
      const git = await openGit(run);
      expect(await git(folder, "ls-files", ["a.txt"])).toMatchObject({
        code: 0,
        stdout: "a.txt\n",
      });
      expect(await git.resolve(folder, "HEAD")).toMatch(/^\w{40}$/);
      const env = await createReadingEnvironment(join(shims, "reading"), {
        ...{ run, program: PROGRAM },
      });
      const command = promisify(execFile)("git", ["-C", ".", "ls-files"], {
        cwd: folder,
        env: { ...env, PATH: `${env["PATH"]}:${process.env["PATH"]}` },
      });
      expect((await command).stdout).toContain("a.txt\n");
      expect(await ran()).toEqual([]);
    },
  );

  test(
    "also where a file that it includes names them",
    { tags: "thorough" },
    async () => {
      const git = await openGit();
      const { folder, ran } = await createHostileRepository();
      await rename(join(folder, ".git/config"), join(folder, ".git/more"));
      await writeFile(
        join(folder, ".git/config"),
        "[core]\nrepositoryformatversion = 0\n[include]\npath = more\n",
      );
      await git(folder, "status");
      await git(folder, "diff");
      expect(await ran()).toEqual([]);
    },
  );

  test(
    "runs none of them because little output was asked for, or its settings are many",
    { tags: "thorough" },
    async () => {
      const git = await openGit();
      const { folder, ran } = await createHostileRepository();
      await git(folder, "diff", [], { maxOutputBytes: 10 });
      await git(folder, "status", [], { maxOutputBytes: 10 });
      expect(await ran()).toEqual([]);

      const settings = join(folder, ".git/config");
      const padding = "[padding]\n" + `key = ${"x".repeat(900)}\n`.repeat(2000);
      await writeFile(settings, padding + (await readFile(settings, "utf8")));
      expect(await git(folder, "diff")).toMatchObject({
        code: 128,
        stdout: "",
      });
      expect(await ran()).toEqual([]);
    },
  );

  test("cannot change the daemon's own environment, nor is that read", async () => {
    const folder = await createRepository();
    const other = await createRepository();
    process.env["GIT_DIR"] = join(other, ".git");
    try {
      const git = await openGit();
      const { stdout } = await git(folder, "rev-parse", ["--show-toplevel"]);
      expect(stdout).toBe(`${folder}\n`);
    } finally {
      delete process.env["GIT_DIR"];
    }
  });
});

describe("what is read", () => {
  test("a changed file is seen, and paths are taken as they are", async () => {
    const git = await openGit();
    const folder = await createRepository();
    await writeFile(join(folder, ":(exclude)x"), "");
    const { stdout } = await git(folder, "diff", ["--stat"]);
    expect(stdout).toContain("a.txt");
    const listed = await git(folder, "ls-files", ["--others"], {
      paths: [":(exclude)x"],
    });
    expect(listed.stdout).toBe(":(exclude)x\n");
    const none = await git(folder, "ls-files", [], { paths: ["*.txt"] });
    expect(none.stdout).toBe("");
  });

  test("output over its cap is cut and says so", async () => {
    const git = await openGit();
    const folder = await createRepository();
    expect(
      await git(folder, "log", ["-p"], { maxOutputBytes: 20 }),
    ).toMatchObject({ truncated: true, code: 0 });
  });

  test.each([
    ["diff", "--output=/tmp/canary"],
    ["diff", "--no-index"],
    ["diff", "--ext-diff"],
    ["log", "--textconv"],
    ["cat-file", "--filters"],
    ["diff", "-O/etc/passwd"],
    ["diff", "--"],
  ] as const)(
    "git %s %s is a mistake of the caller",
    async (command, option) => {
      const git = await openGit();
      const folder = await createRepository();
      expect(() => git(folder, command, [option])).toThrow(TypeError);
    },
  );

  test("a name is read and never written", async () => {
    const git = await openGit();
    const folder = await createRepository();
    expect(() =>
      git(folder, "symbolic-ref", ["HEAD", "refs/heads/other"]),
    ).toThrow(TypeError);
  });

  test("without git it says what is missing", async () => {
    const folder = await createRepository();
    const git = await openGit(await openRun({ PATH: await temporaryFolder() }));
    await expect(git(folder, "status")).rejects.toMatchObject({
      code: "GIT_MISSING",
      status: 503,
    });
  });
});

describe("a revision that a user typed", () => {
  test("is a full hash, or nothing", async () => {
    const git = await openGit();
    const folder = await createRepository();
    const head = (await plainGit(folder, "rev-parse", "HEAD")).trim();
    await plainGit(folder, "tag", "-a", "v1", "-m", "v1");
    await plainGit(folder, "update-ref", "refs/heads/-evil", "HEAD~1");
    for (const name of ["HEAD", "main", "v1", head, head.slice(0, 8)])
      expect(await git.resolve(folder, name), name).toBe(head);
    expect(await git.resolve(folder, "refs/heads/-evil")).toMatch(/^\w{40}$/);
  });

  test.each([
    "--output=/tmp/canary",
    "-h",
    "-evil",
    "--upload-pack=touch",
    "nothing",
    "",
    "a..b",
    "HEAD\nmain",
    "HEAD\0",
    "refs/heads/a b",
    "HEAD:a.txt",
    "HEAD:../../etc/passwd",
    "0".repeat(40),
    "x".repeat(2000),
  ])("%s is nothing", async (name) => {
    const git = await openGit();
    const folder = await createRepository();
    expect(await git.resolve(folder, name)).toBeUndefined();
  });
});

describe("a folder", () => {
  test("below the top of a working tree belongs to it, in a worktree too", async () => {
    const git = await openGit();
    const folder = await createRepository();
    await mkdir(join(folder, "deep/er"), { recursive: true });
    expect(await git.root(join(folder, "deep/er"))).toBe(folder);
    const tree = join(folder, "../tree");
    await plainGit(folder, "worktree", "add", "-q", tree);
    const root = await git.root(tree);
    expect(root).toBe(join(folder, "..", "tree"));
    expect(await git(tree, "status")).toMatchObject({ code: 0 });
  });

  test("of no repository is none", async () => {
    const git = await openGit();
    const folder = await temporaryFolder();
    expect(await git.root(folder)).toBeUndefined();
    expect(await git(folder, "status")).toMatchObject({ code: 128 });
    expect(await git.root(join(folder, "nowhere"))).toBeUndefined();
  });

  test.each([
    [
      "a file that leads to another user's repository",
      (folder: string, other: string) =>
        writeFile(join(folder, ".git"), `gitdir: ${other}/.git\n`),
    ],
    [
      "a link to another user's repository",
      (folder: string, other: string) =>
        symlink(join(other, ".git"), join(folder, ".git")),
    ],
    [
      "a bare repository",
      (folder: string) => plainGit(folder, "init", "-q", "--bare", "."),
    ],
  ])("with %s is none", async (_, make) => {
    const git = await openGit();
    const other = await createRepository();
    const folder = await temporaryFolder();
    await make(folder, other);
    expect(await git.root(folder)).toBeUndefined();
    expect(await git(folder, "log")).toMatchObject({ code: 128, stdout: "" });
  });

  test("in a bare repository is in none, also if another is around that", async () => {
    const git = await openGit();
    const folder = await createRepository();
    await plainGit(folder, "clone", "-q", "--bare", ".", "vendor/bare.git");
    const inner = join(folder, "vendor/bare.git/refs");
    expect(await git.root(inner)).toBeUndefined();
    expect(await git(inner, "log")).toMatchObject({ code: 128, stdout: "" });
    expect(await git.root(join(folder, "vendor"))).toBe(folder);
  });

  test("whose repository says that its files lie elsewhere is none", async () => {
    const git = await openGit();
    const folder = await createRepository();
    await plainGit(folder, "config", "core.worktree", "/etc");
    expect(await git.root(folder)).toBeUndefined();
    expect(await git(folder, "ls-files", ["--others"])).toMatchObject({
      code: 128,
      stdout: "",
    });
  });
});

describe("a remote", () => {
  test("has the first address that the repository itself gives it", async () => {
    const git = await openGit();
    const folder = await createRepository();
    await plainGit(folder, "remote", "add", "origin", "git@host:x.git");
    await plainGit(folder, "config", "--add", "remote.origin.url", "second");
    await plainGit(folder, "worktree", "add", "-q", "../tree");
    for (const each of [folder, join(folder, "../tree")])
      expect(await git.remote(each, "origin")).toBe("git@host:x.git");
    expect(await git.remote(folder, "other")).toBeUndefined();
    expect(await git.remote("/", "origin")).toBeUndefined();
  });

  test("is not that of a repository that the folder only leads to", async () => {
    const git = await openGit();
    const other = await createRepository();
    await plainGit(
      other,
      "remote",
      "add",
      "origin",
      "https://user:token@host/x",
    );
    const folder = await temporaryFolder();
    await writeFile(join(folder, ".git"), `gitdir: ${other}/.git\n`);
    expect(await git.remote(folder, "origin")).toBeUndefined();
  });
});
