import { expect, test } from "vitest";
import { openGit } from "./support/git.ts";
import { createRepository, plainGit } from "./support/repositories.ts";
import { temporaryFolder } from "@gantry/build/testing";

test("the branch has its own name, whatever else has it", async () => {
  const folder = await createRepository();
  const git = await openGit();
  for (const name of ["v1", "heads/v1", "origin/main", "(detached)", "ü/x"]) {
    await plainGit(folder, "switch", "-qc", name);
    await plainGit(folder, "tag", name);
    await plainGit(folder, "update-ref", `refs/remotes/${name}`, "HEAD");
    expect(await git.branch(folder)).toBe(name);
  }
  await plainGit(folder, "checkout", "-q", "--detach");
  expect(await git.branch(folder)).toBeUndefined();
  const empty = await temporaryFolder();
  expect(await git.branch(empty)).toBeUndefined();
  await plainGit(empty, "init", "-qb", "first");
  expect(await git.branch(empty)).toBe("first");
});

test("settings of branches and remotes are those that git is given", async () => {
  const folder = await createRepository();
  await plainGit(folder, "remote", "add", "origin", "ssh://git@host/x");
  await plainGit(folder, "config", "remote.origin.uploadpack", "evil");
  await plainGit(folder, "config", "remote.pushDefault", "origin");
  await plainGit(folder, "config", "branch.a.b.remote", "origin");
  const git = await openGit();
  expect(await git.settings(folder, "remote")).toEqual([
    { name: "origin", key: "url", value: "ssh://git@host/x" },
    {
      name: "origin",
      key: "fetch",
      value: "+refs/heads/*:refs/remotes/origin/*",
    },
    { name: undefined, key: "pushdefault", value: "origin" },
  ]);
  expect(await git.settings(folder, "branch")).toEqual([
    { name: "a.b", key: "remote", value: "origin" },
  ]);
  expect(await git.settings(await temporaryFolder(), "remote")).toEqual([]);
});
