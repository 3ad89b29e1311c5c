import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { plainGit } from "../help/plain-git.ts";
import { startWithGh } from "../help/stand-in-gh.ts";

afterEach(() => vi.unstubAllEnvs());

/** An agent on a branch that was just made, and why there can be no pull request of it. */
async function start() {
  const world = await startWithGh("exit 1");
  return {
    ...world,
    read: async () => (await world.get<{ fault?: string }>("/draft")).body,
    set: (key: string, value: string) =>
      plainGit(world.cwd, "config", key, value),
  };
}

describe("there is no new pull request", () => {
  test("without commits, before they are pushed, and of the branch that it would go into", async () => {
    const { kernel, read, commit, push, cwd } = await start();
    await using _ = kernel;
    const faults: (string | undefined)[] = [];
    const look = async () => faults.push((await read()).fault);
    await look();
    await commit("One");
    await look();
    await push();
    await commit("Two");
    await look();
    await commit("Three");
    await look();
    await plainGit(cwd, "switch", "-q", "main");
    await look();
    await plainGit(cwd, "switch", "-q", "--detach");
    await look();
    expect(faults).toEqual([
      "The branch topic has no commits that main does not have; commit something first.",
      "The branch topic is not on origin yet; push it first.",
      "A commit of topic is not on origin yet; push it first.",
      "2 commits of topic are not on origin yet; push them first.",
      "Pull requests go into main itself; make another branch for the changes with git switch -c NAME first.",
      "No branch is checked out; make one with git switch -c NAME first.",
    ]);
  });

  test(
    "of a branch without a commit, one from a pull request, without a remote, elsewhere, and without a repository",
    { tags: "thorough" },
    async () => {
      const { kernel, read, set, cwd } = await start();
      await using _ = kernel;
      const faults: (string | undefined)[] = [];
      const look = async () => faults.push((await read()).fault);
      await plainGit(cwd, "symbolic-ref", "HEAD", "refs/heads/fresh");
      await look();
      await set("branch.fresh.remote", "origin");
      await set("branch.fresh.merge", "refs/pull/12/head");
      await look();
      await set("remote.origin.url", "https://evil.example/ann/it");
      await look();
      await plainGit(cwd, "remote", "remove", "origin");
      await look();
      await rm(join(cwd, ".git"), { recursive: true });
      await look();
      expect(faults).toEqual([
        "The branch has no commit yet; commit something first.",
        "The branch belongs to pull request #12; make another one with git switch -c NAME first.",
        "The remote of the branch is not on GitHub, which is all that gh knows; open the pull request on the website of that remote.",
        "The branch has no remote to go to; add a repository on GitHub with git remote add origin ADDRESS first.",
        "The agent's folder is in no git repository; make one with git init first.",
      ]);
    },
  );

  test(
    "from a clone of one branch it is not known what is pushed, so that GitHub decides",
    { tags: "thorough" },
    async () => {
      const { kernel, read, commit, set } = await start();
      await using _ = kernel;
      await commit("Add it");
      await set(
        "remote.origin.fetch",
        "+refs/heads/main:refs/remotes/origin/main",
      );
      expect(await read()).toMatchObject({ title: "Add it", base: "main" });
    },
  );
});
