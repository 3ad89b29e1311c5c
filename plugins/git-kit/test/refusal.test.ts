import { cp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cases, temporaryFolder } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { openGit } from "./support/git.ts";
import { createRepository, plainGit } from "./support/repositories.ts";

interface Refused {
  folder: string;
  /** Part of the reason. */
  reason: RegExp;
  /** What the reason says to do. */
  remedy?: () => Promise<unknown>;
}

const FORMS: Readonly<Record<string, () => Promise<Refused>>> = {
  "a .git that is a link": async () => {
    const folder = await createRepository();
    const other = join(await temporaryFolder(), "elsewhere");
    await rename(join(folder, ".git"), other);
    await symlink(other, join(folder, ".git"));
    return {
      folder,
      reason: /a link that leads to .*elsewhere.*git config core\.worktree/,
      remedy: () => plainGit(folder, "config", "core.worktree", folder),
    };
  },
  "a separate folder of git's": async () => {
    const folder = join(await temporaryFolder(), "work");
    await mkdir(folder);
    await plainGit(folder, "init", "-q", "--separate-git-dir", "../git");
    await plainGit(folder, "commit", "-q", "--allow-empty", "-m", "One");
    return {
      folder,
      reason: /a file that leads to .*does not name this folder/,
      remedy: () => plainGit(folder, "config", "core.worktree", folder),
    };
  },
  "a working tree that was moved": async () => {
    const main = await createRepository();
    await plainGit(main, "worktree", "add", "-qb", "x", "../tree");
    const folder = join(main, "../moved");
    await rename(join(main, "../tree"), folder);
    return {
      folder,
      reason: /moved or copied: .*\/tree\. Run "git worktree repair"/,
      remedy: () => plainGit(folder, "worktree", "repair"),
    };
  },
  "a working tree that was copied": async () => {
    const main = await createRepository();
    await plainGit(main, "worktree", "add", "-qb", "x", "../tree");
    const folder = join(main, "../copy");
    await cp(join(main, "../tree"), folder, { recursive: true });
    return { folder, reason: /moved or copied/ };
  },
  "a working tree whose repository is gone": async () => {
    const main = await createRepository();
    await plainGit(main, "worktree", "add", "-qb", "x", "../tree");
    await rename(main, `${main}-2`);
    return { folder: join(main, "../tree"), reason: /nothing is there/ };
  },
  "files in another folder": async () => {
    const folder = await createRepository();
    await plainGit(folder, "config", "core.worktree", "/etc");
    return {
      folder,
      reason: /its files are in \/etc/,
      remedy: () => plainGit(folder, "config", "--unset", "core.worktree"),
    };
  },
  "a .git that names nothing": async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, ".git"), "something\n");
    return { folder, reason: /names no repository/ };
  },
  "a .git without HEAD": async () => {
    const folder = await createRepository();
    await rm(join(folder, ".git/HEAD"));
    return {
      folder,
      reason: /has no HEAD/,
      remedy: () => plainGit(folder, "init", "-q"),
    };
  },
  "a bare repository": async () => {
    const folder = await temporaryFolder();
    await plainGit(folder, "init", "-q", "--bare");
    return { folder, reason: /bare/ };
  },
};

test.each(cases(Object.entries(FORMS), 3))(
  "%s: it is said why it is not read, and it is read after the remedy",
  async (_, create) => {
    const { folder, reason, remedy } = await create();
    const git = await openGit();
    expect(await git.root(folder)).toBeUndefined();
    expect(await git.refusal(folder)).toMatch(reason);
    const refused = await git(folder, "status");
    expect(refused).toMatchObject({ code: 128, stdout: "" });
    expect(refused.stderr).toMatch(reason);
    if (!remedy) return;
    await remedy();
    expect(await git.refusal(folder)).toBeUndefined();
    expect(await git.root(folder)).toBe(folder);
    expect(await git(folder, "status")).toMatchObject({ code: 0 });
  },
);

test("a folder in no repository, and one that is read, have no reason", async () => {
  const git = await openGit();
  const folder = await createRepository();
  expect(await git.refusal(folder)).toBeUndefined();
  expect(await git.refusal(await temporaryFolder())).toBeUndefined();
});
