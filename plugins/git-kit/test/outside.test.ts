import { execFile } from "node:child_process";
import {
  appendFile,
  mkdir,
  readdir,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { openGit, openRun } from "./support/git.ts";
import { createRepository, plainGit } from "./support/repositories.ts";
import { startSwapping } from "./support/swapping.ts";

const makePipe = (path: string) => promisify(execFile)("mkfifo", [path]);

/** Another repository of the user, and the hash of a file that only it has. */
async function createSecret(): Promise<{ secret: string; hash: string }> {
  const secret = await createRepository();
  await writeFile(join(secret, "secret.txt"), "the secret\n");
  await plainGit(secret, "add", ".");
  await plainGit(secret, "commit", "-qm", "Secret");
  const hash = await plainGit(secret, "rev-parse", "HEAD:secret.txt");
  return { secret, hash: hash.trim() };
}

describe("objects that lie in another repository", () => {
  test.each([["--shared"], ["--reference"]])(
    "of a clone with %s are refused, with what to do, and read once that is done",
    async (option) => {
      const git = await openGit();
      const { secret } = await createSecret();
      const clone = join(secret, "../clone");
      const options = option === "--shared" ? [option] : [option, secret];
      await plainGit(secret, "clone", "-q", ...options, secret, clone);
      for (const call of [
        () => git(clone, "status"),
        () => git(clone, "log"),
        () => git.resolve(clone, "HEAD"),
      ])
        await expect(call()).rejects.toMatchObject({
          code: "GIT_OBJECTS_OUTSIDE",
          status: 403,
          message: expect.stringMatching(
            /clone takes objects .*work\/\.git\/objects.*git repack -a -d/s,
          ) as string,
        });
      await plainGit(clone, "repack", "-q", "-a", "-d");
      await rm(join(clone, ".git/objects/info/alternates"));
      expect(await git(clone, "log", ["--format=%s"])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("Secret\n") as string,
      });
    },
  );

  test(
    "are not read either when the list is there only now and then",
    { tags: "thorough" },
    async () => {
      const git = await openGit();
      const { secret, hash } = await createSecret();
      const folder = await createRepository();
      const list = ".git/objects/info/alternates";
      await writeFile(join(folder, list), `${secret}/.git/objects\n`);
      await writeFile(join(folder, `${list}.twin`), "");
      await startSwapping(folder, [list]);
      let read = 0;
      for (let call = 0; call < 60; call += 1) {
        const result = git(folder, "cat-file", ["-p", hash]);
        const { stdout } = await result.catch(() => ({ stdout: "refused" }));
        if (stdout !== "refused") read += 1;
        expect(stdout).not.toContain("secret");
      }
      // Some of the calls got past the look at the list.
      expect(read).toBeGreaterThan(0);
    },
  );

  test("do not come from the daemon's environment", async () => {
    const { secret, hash } = await createSecret();
    const folder = await createRepository();
    const run = await openRun({
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(secret, ".git/objects"),
      GIT_OBJECT_DIRECTORY: join(secret, ".git/objects"),
    });
    const git = await openGit(run);
    const { code } = await git(folder, "cat-file", ["-p", hash]);
    expect(code).toBe(128);
  });

  test("an empty list is none", async () => {
    const git = await openGit();
    const folder = await createRepository();
    const list = join(folder, ".git/objects/info/alternates");
    await writeFile(list, "# none\n\n");
    expect(await git(folder, "status")).toMatchObject({ code: 0 });
  });

  test.each(
    cases(["objects", "objects/pack", "objects/5a", "objects/info", "refs"]),
  )("are refused behind a link called %s", async (name) => {
    const git = await openGit();
    const { secret } = await createSecret();
    const folder = await createRepository();
    const path = join(folder, ".git", name);
    await rm(path, { recursive: true, force: true });
    await symlink(join(secret, ".git", name), path);
    await expect(git(folder, "log")).rejects.toMatchObject({
      code: "GIT_OBJECTS_OUTSIDE",
      message: expect.stringContaining(path) as string,
    });
  });

  test("a pipe in the place of the list is no list, and nothing waits for it", async () => {
    const git = await openGit();
    const folder = await createRepository();
    await makePipe(join(folder, ".git/objects/info/alternates"));
    await expect(git(folder, "status")).rejects.toMatchObject({
      code: "GIT_OBJECTS_OUTSIDE",
    });
  });
});

describe("a folder is in no repository that leads to another", () => {
  test.each<[string, (folder: string, secret: string) => Promise<unknown>]>([
    [
      "by a shared folder that its .git names",
      async (folder, secret) => {
        await plainGit(folder, "init", "-q");
        await writeFile(join(folder, ".git/commondir"), `${secret}/.git\n`);
      },
    ],
    [
      "by a shared folder that its working tree's folder names",
      async (folder, secret) => {
        const tree = join(folder, "evil/worktrees/x");
        await mkdir(tree, { recursive: true });
        await writeFile(join(folder, ".git"), `gitdir: ${tree}\n`);
        await writeFile(join(tree, "gitdir"), join(folder, ".git"));
        await writeFile(join(tree, "commondir"), `${secret}/.git\n`);
        await writeFile(join(tree, "HEAD"), "ref: refs/heads/main\n");
      },
    ],
  ])("%s", async (_, lead) => {
    const git = await openGit();
    const { secret } = await createSecret();
    const folder = await temporaryFolder();
    await lead(folder, secret);
    expect(await git.root(folder)).toBeUndefined();
    expect(await git(folder, "for-each-ref")).toMatchObject({
      code: 128,
      stdout: "",
    });
  });
});

describe("settings that cannot be gone by", () => {
  test.each<[string, RegExp, (config: string) => Promise<unknown>]>([
    [
      "what git would not understand",
      /bad config line \d+ in file .*config/,
      (config) => appendFile(config, "[core\n"),
    ],
    [
      "a link",
      /config is not read: it is a link/,
      async (config) => {
        await rename(config, `${config}.real`);
        await symlink(`${config}.real`, config);
      },
    ],
    [
      "a pipe",
      /config is not read: it is no plain file/,
      async (config) => {
        await rm(config);
        await makePipe(config);
      },
    ],
    [
      "an extension that git does not know",
      /unknown repository extension/,
      (config) =>
        writeFile(
          config,
          "[core]\nrepositoryformatversion=1\n[extensions]\nfuture=x\n",
        ),
    ],
    [
      "an extension that leads elsewhere",
      /extensions\.refstorage names another place/,
      (config) =>
        writeFile(
          config,
          "[core]\nrepositoryformatversion=1\n[extensions]\nrefStorage=files:///elsewhere\n",
        ),
    ],
  ])("%s: git says so, and nothing is read", async (_, reason, spoil) => {
    const git = await openGit();
    const folder = await createRepository();
    await spoil(join(folder, ".git/config"));
    expect(await git(folder, "status")).toEqual({
      code: 128,
      stdout: "",
      stderr: expect.stringMatching(reason) as string,
      truncated: false,
    });
  });
});

test("a repository that lacks objects fetches none", async () => {
  const git = await openGit();
  const { secret } = await createSecret();
  await plainGit(secret, "config", "uploadpack.allowFilter", "true");
  const clone = join(secret, "../clone");
  await plainGit(
    secret,
    ...["clone", "-q", "--no-checkout", "--filter=blob:none"],
    ...[`file://${secret}`, clone],
  );
  expect(await git(clone, "log", ["--format=%s"])).toMatchObject({ code: 0 });
  const packs = await readdir(join(clone, ".git/objects/pack"));
  expect((await git(clone, "log", ["-p"])).code).toBe(128);
  expect(await readdir(join(clone, ".git/objects/pack"))).toEqual(packs);
});
