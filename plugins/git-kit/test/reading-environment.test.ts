import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { planReadingGit } from "../src/plan-reading-git.ts";
import { createReadingEnvironment } from "../src/reading-environment.ts";
import { openRun } from "./support/git.ts";
import {
  createHostileRepository,
  type HostileRepository,
} from "./support/hostile-repository.ts";
import { PROGRAM } from "./support/program.ts";
import { READING_LINES } from "./support/reading-lines.ts";
import { createRepository, plainGit } from "./support/repositories.ts";
import { startSwapping } from "./support/swapping.ts";

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a line in a shell, as the CLI of an agent does. */
function runLine(
  line: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  shell: readonly string[] = ["-c"],
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      "/bin/bash",
      [...shell, line],
      { cwd, env },
      (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

const USER: NodeJS.ProcessEnv = {
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  LANG: "C.UTF-8",
};

async function readingEnvironment(): Promise<NodeJS.ProcessEnv> {
  const run = await openRun();
  const folder = join(await temporaryFolder(), "reading");
  return {
    ...USER,
    ...(await createReadingEnvironment(folder, { run, program: PROGRAM })),
  };
}

async function hostileWithDepth(): Promise<HostileRepository> {
  const hostile = await createHostileRepository();
  await mkdir(join(hostile.folder, "deep"));
  return hostile;
}

describe("command lines that only read, in a repository that names programs wherever it can", () => {
  test(
    "run them with git alone, so that the next test says something",
    { tags: "thorough" },
    async () => {
      const { folder, ran } = await hostileWithDepth();
      const env = { ...USER, PATH: process.env["PATH"] };
      for (const line of READING_LINES) await runLine(line, folder, env);
      // These are not classed as reading.
      for (const line of [
        "git log -p --remerge-diff",
        "git log --show-signature",
        "git -p log -1",
        "git cat-file --textconv HEAD:a.txt",
      ])
        await runLine(line, folder, env);
      expect(await ran()).toEqual(
        expect.arrayContaining(
          "clean command external fsmonitor gpg gpg-ssh gpg-x509 in-submodule merge post-index-change process textconv".split(
            " ",
          ),
        ),
      );
    },
  );

  test(
    "run nothing with the environment, and change nothing",
    { tags: "thorough" },
    async () => {
      const { folder, ran } = await hostileWithDepth();
      const env = await readingEnvironment();
      const before = await readFile(join(folder, ".git/index"));
      const lines = [...READING_LINES];
      const work = async () => {
        for (let line; (line = lines.pop()) !== undefined;) {
          expect([line, planOf(line) !== undefined]).toEqual([line, true]);
          const { code, stderr } = await runLine(line, folder, env);
          const differs = /--no-index|ignore -v/.test(line);
          // Who may sign for whom is among what git does not get to see.
          const complaints = stderr.replace(/^error: gpg\.ssh.*\n/gm, "");
          expect([line, code, complaints]).toEqual([line, differs ? 1 : 0, ""]);
          expect([line, await ran()]).toEqual([line, []]);
        }
      };
      await Promise.all([work(), work(), work()]);
      expect(await readFile(join(folder, ".git/index"))).toEqual(before);
      expect(await readdir(join(folder, ".git"))).not.toContain("index.lock");
    },
  );

  test(
    "run nothing in its submodule either, which names others",
    { tags: "thorough" },
    async () => {
      const { folder, ran } = await hostileWithDepth();
      const env = await readingEnvironment();
      await mkdir(join(folder, "sub/deep"));
      for (const line of [
        "git status",
        "git diff",
        "git log -p",
        "git blame a.txt",
      ])
        expect(await runLine(line, join(folder, "sub"), env)).toMatchObject({
          code: 0,
          stderr: "",
        });
      expect(await ran()).toEqual([]);
    },
  );
});

test(
  "nothing runs either while a program exchanges the configuration all the time",
  { tags: "thorough" },
  async () => {
    const { folder, ran } = await createHostileRepository();
    const env = await readingEnvironment();
    const harmless = "[core]\n\trepositoryformatversion = 0\n";
    await writeFile(join(folder, ".git/config.twin"), harmless);
    await startSwapping(folder, [".git/config"]);
    for (let round = 0; round < 4; round += 1) {
      const line = "git diff & git log -p -1 & git blame a.txt & wait";
      expect((await runLine(line, folder, env)).stdout).toContain("+three");
      expect(await ran()).toEqual([]);
    }
  },
);

describe("a shell that does not take the PATH", () => {
  test.each(
    cases([
      ["names git by its path", ["-c"], ""],
      [
        "is a login shell with start files of its own",
        ["-lc"],
        "PATH=/usr/bin:/bin",
      ],
    ] as const),
  )(
    "and %s finds no repository, and git names the one to use",
    async (_, shell, profile) => {
      const { folder, ran } = await createHostileRepository();
      const home = await temporaryFolder();
      await writeFile(join(home, ".bash_profile"), profile);
      const env: NodeJS.ProcessEnv = {
        ...(await readingEnvironment()),
        HOME: home,
      };
      const git = profile === "" ? "$(type -ap git | tail -1)" : "git";
      for (const command of [
        "status",
        "diff",
        "log -p",
        "init",
        "blame a.txt",
      ]) {
        const result = await runLine(`${git} ${command}`, folder, env, shell);
        // Without a repository this one compares files.
        expect([command, result.code]).toEqual([
          command,
          command === "diff" ? 129 : 128,
        ]);
        if (command === "diff") continue;
        expect(result.stderr).toContain(`${env["PATH"]!.split(":")[0]}/git/`);
      }
      expect(await ran()).toEqual([]);
    },
  );
});

describe("a call that does more", () => {
  test("runs unchanged, with its hooks", async () => {
    const folder = await createRepository();
    const env = await readingEnvironment();
    const hook = join(folder, ".git/hooks/pre-commit");
    await mkdir(dirname(hook), { recursive: true });
    // The index that is committed is another one than that of the repository.
    await writeFile(hook, "#!/bin/sh\ngit diff --cached --name-only > hook\n");
    await chmod(hook, 0o755);
    const commit = "git -c user.name=A -c user.email=a@b commit -qm x a.txt";
    expect(await runLine(commit, folder, env)).toMatchObject({ code: 0 });
    expect(await readFile(join(folder, "hook"), "utf8")).toBe("a.txt\n");
    const { stdout } = await runLine("git status --short", folder, env);
    expect(stdout).toBe("?? hook\n");
  });
});

describe("what is read", () => {
  test(
    "comes from the repository that the shell is in, with its own paths",
    { tags: "thorough" },
    async () => {
      const folder = await createRepository();
      const other = await createRepository();
      const env = await readingEnvironment();
      await plainGit(folder, "worktree", "add", "-qb", "tree", "../tree");
      await plainGit(other, "branch", "only-here");
      for (const line of [
        "git worktree list && git branch -vv",
        "cd ../tree && git worktree list && git branch -vv && git rev-parse --git-dir",
        `cd ${other} && git branch --list`,
        `git -C ${other} -C .git/.. branch --list`,
        "git log --format=%s | head -1",
        "echo HEAD | git cat-file --batch-check",
      ]) {
        const plain = await runLine(line, folder, {
          ...USER,
          PATH: process.env["PATH"],
        });
        // A list is aligned to the longest path that git knew of.
        const tidy = ({ stdout, ...rest }: Outcome) => ({
          ...rest,
          stdout: stdout.replace(/ +/g, " "),
        });
        const ours = await runLine(line, folder, env);
        expect([line, tidy(ours)]).toEqual([line, tidy(plain)]);
      }
    },
  );

  test("is nothing where there is no repository, or one that takes objects from another", async () => {
    const folder = await createRepository();
    const env = await readingEnvironment();
    const nowhere = await temporaryFolder();
    expect(await runLine("git status", nowhere, env)).toMatchObject({
      code: 128,
      stderr: expect.stringContaining("not a git repository") as string,
    });
    await plainGit(folder, "clone", "-q", "--shared", ".", "../clone");
    const clone = join(folder, "../clone");
    expect(await runLine("git status", clone, env)).toMatchObject({
      code: 128,
      stderr: expect.stringContaining("git repack -a -d") as string,
    });
  });

  test("ends with the signal that ends it", async () => {
    const folder = await createRepository();
    const env = await readingEnvironment();
    const git = join(env["PATH"]!.split(":")[0]!, "git");
    const child = spawn(git, ["cat-file", "--batch-check"], {
      cwd: folder,
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.write("HEAD\n");
    const [answer] = (await once(child.stdout, "data")) as [Buffer];
    expect(String(answer)).toMatch(/^\w{40} commit \d+\n$/);
    const closed = once(child, "close");
    child.kill("SIGTERM");
    expect(await closed).toEqual([143, null]);
  });
});

test("the environment has no relative folder on its PATH, and its folder may be called anything", async () => {
  const run = await openRun();
  const folder = join(await temporaryFolder(), `it's "a" $HOME\\ place`);
  const path = `:.:node_modules/.bin:${process.env["PATH"]}`;
  const environment = await createReadingEnvironment(folder, {
    ...{ run, program: PROGRAM, path },
  });
  const [first, ...others] = environment["PATH"]!.split(":");
  expect(first).toBe(join(folder, "bin"));
  expect(others).toEqual(process.env["PATH"]!.split(":").filter(isAbsolute));
  const repository = await createRepository();
  const result = await runLine("git log -1 --format=%s", repository, {
    ...USER,
    ...environment,
  });
  expect(result).toEqual({ code: 0, stdout: "Two\n", stderr: "" });
});

/** The plan of a line without quotes that matter. */
function planOf(line: string) {
  const [, ...words] = line.replace(/'[^']*'/g, "x").split(" ");
  return planReadingGit(words);
}
